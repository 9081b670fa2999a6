// The mails that would have been sent, for trying the service without a mail server.

import { listMails, type MailRow } from '../../db/people/mails';
import { MAX_EMAIL } from '../../domain/email';
import { isLocalHost } from '../../domain/host';
import { readMailText } from '../../use-cases/mails';
import { page, pageRoute, type DashboardDependencies } from '../context';
import { Button, Field, Filters } from '../forms';
import { Details, Link, Time } from '../parts';
import { troublePage } from '../trouble';
import { useFrame } from '../frame';
import { WORDS } from './words';

const SHOWN = 50;

/**
 * A reader of the page can change every password, so it exists only where no one but developers can
 * come.
 */
export function showsMails({ config }: Pick<DashboardDependencies, 'config'>): boolean {
  return !config.production && config.smtp === undefined;
}

/** The link on pages that say that a message was sent. */
export function MailsLink() {
  const { language } = useFrame();
  return (
    <p class="hint">
      <Link to="/mails">{WORDS[language].link}</Link>
    </p>
  );
}

function ownNames(config: DashboardDependencies['config']): string[] {
  return [config.public_url, config.dashboard_url].map((url) => new URL(url).hostname);
}

function ShownMail({
  mail: { subject, recipient, created_at },
  text,
}: {
  readonly mail: MailRow;
  readonly text: string;
}) {
  const words = WORDS[useFrame().language];
  return (
    <section class="mail">
      <h2>{subject}</h2>
      <Details
        rows={[
          [words.to, recipient],
          [words.at, <Time at={created_at} />],
        ]}
      />
      <pre class="mail-text">
        {text.split(LINK).map((part) => (part.match(LINK) ? <a href={part}>{part}</a> : part))}
      </pre>
    </section>
  );
}

/** The group lets `split` keep the links. */
const LINK = /(https?:\/\/\S+)/;

export const MAILS_ROUTES = [
  pageRoute('/mails', 'anyone', async (dependencies, { ctx, language, query }) => {
    if (!showsMails(dependencies)) return undefined;
    const { config, db, sealer } = dependencies;
    // The page needs no session: any site could read it in a developer's browser, by a name that
    // resolves to this machine.
    if (!isLocalHost(ctx.headers.host, ownNames(config))) {
      return troublePage(language, { kind: 'host', url: `${config.dashboard_url}/mails` });
    }
    const to = (query.get('to') ?? '').trim().slice(0, MAX_EMAIL);
    const mails = await listMails(db, SHOWN, to);
    const words = WORDS[language];
    return page(
      words.mails,
      <>
        <p class="lead">{words.lead}</p>
        <Filters action="/mails">
          <Field name="to" type="email" label={words.to} value={to} maxLength={MAX_EMAIL} />
          <Button look="plain">{words.find}</Button>
        </Filters>
        {mails.length === 0 && <p class="empty">{words.none}</p>}
        {mails.map((mail) => (
          <ShownMail mail={mail} text={readMailText(sealer, mail)} />
        ))}
      </>,
    );
  }),
];
