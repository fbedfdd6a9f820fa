import { CODE_STYLE } from './style/code.ts';
import { LAYOUT_STYLE } from './style/layout.ts';
import { REFERENCE_STYLE } from './style/reference.ts';
import { TEXT_STYLE } from './style/text.ts';
import { THEME_STYLE } from './style/theme.ts';

/** The style sheet of the page. */
export const STYLE = [THEME_STYLE, LAYOUT_STYLE, TEXT_STYLE, CODE_STYLE, REFERENCE_STYLE].join('');
