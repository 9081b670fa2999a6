// The accounts of a person who belongs to several.

import { showInSession } from '../../db/people/sessions';
import { listAccountsOf } from '../../db/people/team';
import { isRowId } from '../../domain/ids';
import { formRoute, page, pageRoute, seeOther } from '../context';
import { ActionButton } from '../forms';
import { Table, Tag } from '../parts';
import { troublePage } from '../trouble';
import { WORDS as COMMON } from '../words';
import { WORDS } from './words';

export const ACCOUNTS_ROUTES = [
  pageRoute('/accounts', 'signed_in', async ({ db }, { session, language }) => {
    const words = WORDS[language];
    const accounts = await listAccountsOf(db, session.login_id);
    return page(
      words.accounts,
      <Table
        caption={words.accounts}
        columns={[words.account, words.role, COMMON[language].actions]}
        rows={accounts.map(({ user_id, username, role }) => [
          username,
          words.roles[role],
          user_id === session.account?.user_id ? (
            <Tag>{words.shown}</Tag>
          ) : (
            <ActionButton action="/accounts" fields={{ user_id }}>
              {words.show}
            </ActionButton>
          ),
        ])}
      />,
    );
  }),
  formRoute('/accounts', 'signed_in', null, async ({ db }, { session, form, language }) => {
    const user_id = form.get('user_id') ?? '';
    // The account opens in the sandbox: no person comes upon real money by surprise.
    const isShown = isRowId(user_id) && (await showInSession(db, session.id, user_id, 'sandbox'));
    return isShown ? seeOther('/') : troublePage(language, { kind: 'unknown' });
  }),
];
