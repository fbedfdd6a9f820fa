import { texts } from '../../texts/index.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Card, Empty, Page } from '../../ui/content.tsx';

/** The playground. */
export function PlaygroundPage() {
  const text = texts.navigation;
  return (
    <Page title={text.playground}>
      <Card>
        <Empty
          title={texts.general.comingSoon}
          action={<ButtonLink href="/quick-start">{texts.overview.toQuickStart}</ButtonLink>}
        />
      </Card>
    </Page>
  );
}
