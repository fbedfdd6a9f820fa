import { render } from 'preact';
import { followLinks } from '../data/router.ts';
import { language } from '../texts/index.ts';
import '../ui/styles/index.css';
import { App } from './app.tsx';
import { isPage } from './pages.tsx';

document.documentElement.lang = language;
followLinks(isPage);
const container = document.getElementById('app');
if (container !== null) render(<App />, container);
