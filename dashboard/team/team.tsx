// The people of the account. Owners invite, change roles and remove; each may leave but the last
// owner.

import {
  findMember,
  listInvitations,
  listMembers,
  withdrawInvitation,
  type InvitationRow,
  type MemberChange,
  type MemberRow,
} from '../../db/people/team';
import { isRowId } from '../../domain/ids';
import { MEMBER_ROLES, mayDo, type MemberRole } from '../../domain/members';
import {
  changeRole,
  endedLines,
  invite,
  inviteAgain,
  remove,
  type InvitationFault,
} from '../../use-cases/team';
import { writingOf } from '../browser';
import {
  formRoute,
  page,
  pageRoute,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type MemberVisit,
} from '../context';
import { actionRoute } from '../form-page';
import { ActionButton, Button, Checkboxes, Field, Form } from '../forms';
import { Table, Tag, Time } from '../parts';
import { useFrame } from '../frame';
import { WORDS as COMMON } from '../words';
import { WORDS } from './words';

/** The least one comes first, and the one that gives everything away last. */
const ROLES = MEMBER_ROLES.toReversed();

function readRole(text: string | null): MemberRole | undefined {
  return ROLES.find((role) => role === text);
}

async function showTeam(
  { db }: DashboardDependencies,
  visit: MemberVisit,
  fault?: InvitationFault,
): Promise<Answer> {
  const { account, session, language } = visit;
  const words = WORDS[language];
  const isOwner = mayDo(account.role, 'team', session.environment);
  const [members, invitations] = await Promise.all([
    listMembers(db, account.user_id),
    isOwner ? listInvitations(db, account.user_id) : [],
  ]);
  return page(
    words.team,
    <>
      <p class="lead">{words.lead}</p>
      {isOwner && members.some(({ keys }) => keys > 0) && <p>{words.keys_end}</p>}
      <Members members={members} isOwner={isOwner} />
      {isOwner && <InviteForm />}
      {invitations.length > 0 && <Invitations invitations={invitations} />}
      {(!isOwner || members.filter(({ role }) => role === 'owner').length > 1) && (
        <p>
          <ActionButton action="/team/leave" look="danger">
            {words.leave}
          </ActionButton>
        </p>
      )}
    </>,
    fault ? { email: words.faults[fault] } : 200,
  );
}

function Members({
  members,
  isOwner,
}: {
  readonly members: readonly MemberRow[];
  readonly isOwner: boolean;
}) {
  const { language, session } = useFrame();
  const words = WORDS[language];
  const owners = members.filter(({ role }) => role === 'owner').length;
  const isLastOwner = ({ role }: MemberRow): boolean => role === 'owner' && owners === 1;
  return (
    <section>
      <h2>{words.members}</h2>
      <Table
        caption={words.members}
        columns={[
          words.person,
          words.role,
          words.second_factor,
          words.since,
          ...(isOwner ? [COMMON[language].actions] : []),
        ]}
        rows={members.map((member) => [
          <span>
            {member.email} {member.login_id === session?.login_id && <Tag>{words.you}</Tag>}{' '}
            {member.keys > 0 && <Tag>{words.keys(member.keys)}</Tag>}
          </span>,
          <span class="nowrap">{words.roles[member.role]}</span>,
          member.has_totp ? <Tag tone="good">{words.on}</Tag> : <Tag>{words.off}</Tag>,
          <Time at={member.created_at} />,
          ...(isOwner ? [<MemberActions member={member} isLast={isLastOwner(member)} />] : []),
        ])}
      />
    </section>
  );
}

function MemberActions({
  member: { login_id, role },
  isLast,
}: {
  readonly member: MemberRow;
  /** An account always has an owner. */
  readonly isLast: boolean;
}) {
  const words = WORDS[useFrame().language];
  if (isLast) return null;
  return (
    <div class="actions">
      {ROLES.filter((other) => other !== role).map((other) => (
        <ActionButton action="/team/role" fields={{ login_id, role: other }}>
          {words.make(words.roles[other])}
        </ActionButton>
      ))}
      <ActionButton action="/team/remove" fields={{ login_id }} look="danger">
        {words.remove}
      </ActionButton>
    </div>
  );
}

function InviteForm() {
  const words = WORDS[useFrame().language];
  return (
    <section class="card">
      <h2>{words.invite}</h2>
      <Form action="/team/invite">
        <Field
          name="email"
          type="email"
          label={words.email}
          autocomplete="off"
          maxLength={254}
          required
        />
        <Checkboxes
          kind="radio"
          name="role"
          label={words.role}
          checked={[ROLES[0]!]}
          options={ROLES.map((role) => ({
            value: role,
            label: words.roles[role],
            hint: words.role_texts[role],
          }))}
        />
        <Button>{words.send}</Button>
      </Form>
    </section>
  );
}

function Invitations({ invitations }: { readonly invitations: readonly InvitationRow[] }) {
  const { language } = useFrame();
  const words = WORDS[language];
  return (
    <section>
      <h2>{words.invitations}</h2>
      <Table
        caption={words.invitations}
        columns={[words.email, words.role, words.sent, COMMON[language].actions]}
        rows={invitations.map(({ id, email, role, sent_at, is_expired }) => [
          email,
          <span class="nowrap">{words.roles[role]}</span>,
          <>
            <Time at={sent_at} /> {is_expired && <Tag tone="warn">{words.expired}</Tag>}
          </>,
          <div class="actions">
            <ActionButton action="/team/invitations/resend" fields={{ id }}>
              {words.resend}
            </ActionButton>
            <ActionButton action="/team/invitations/withdraw" fields={{ id }} look="danger">
              {words.withdraw}
            </ActionButton>
          </div>,
        ])}
      />
    </section>
  );
}

const INVITATION = {
  access: 'team',
  confirmed: 'always',
  find: async ({ db }: DashboardDependencies, { account, form }: MemberVisit) => {
    const own = await listInvitations(db, account.user_id);
    return own.find(({ id }) => id === form.get('id'));
  },
} as const;

const MEMBER = { access: 'team', confirmed: 'always', find: findNamed } as const;

export const TEAM_ROUTES = [
  pageRoute('/team', 'sales', showTeam),
  formRoute(
    '/team/invite',
    'team',
    'team.invite',
    async (dependencies, visit) => {
      const { account, session, form, language } = visit;
      const email = (form.get('email') ?? '').trim();
      const role = readRole(form.get('role'));
      if (!role) return undefined;
      const inviting = { account, invited_by: session.login_id, language };
      const fault = await invite(writingOf(dependencies), inviting, { email, role });
      if (fault) return showTeam(dependencies, visit, fault);
      return seeOther('/team', {
        flash: { notice: WORDS[language].invited(email) },
        subject: email,
      });
    },
    'always',
  ),
  actionRoute({
    ...INVITATION,
    path: '/team/invitations/resend',
    action: 'team.invite_again',
    act: async (dependencies, { account, language }, invitation) => {
      const words = WORDS[language];
      const result = await inviteAgain(writingOf(dependencies), { account, language }, invitation);
      if (result === 'not_found') return undefined;
      if (result === 'mail_limit') {
        return seeOther('/team', { flash: { notice: words.faults.mail_limit, tone: 'bad' } });
      }
      const { email } = invitation;
      return seeOther('/team', { flash: { notice: words.invited(email) }, subject: email });
    },
  }),
  actionRoute({
    ...INVITATION,
    path: '/team/invitations/withdraw',
    action: 'team.withdraw',
    act: async ({ db }, { account, language }, { id }) => {
      if (!(await withdrawInvitation(db, account.user_id, id))) return undefined;
      return seeOther('/team', { flash: { notice: WORDS[language].withdrawn }, subject: id });
    },
  }),
  actionRoute({
    ...MEMBER,
    path: '/team/role',
    action: 'team.change_role',
    act: async (dependencies, visit, member) => {
      const { account, session, form, language } = visit;
      const role = readRole(form.get('role'));
      if (!role) return undefined;
      const change = { account, member, changed_by: session.email };
      const changed = await changeRole(writingOf(dependencies), change, role);
      const { email: subject } = member;
      const done = WORDS[language].changed(subject);
      return afterChange(visit, changed, { to: '/team', done, subject });
    },
  }),
  actionRoute({
    ...MEMBER,
    path: '/team/remove',
    action: 'team.remove',
    act: async (dependencies, visit, member) => {
      const { account, session, language } = visit;
      const change = { account, member, changed_by: session.email };
      const removed = await remove(writingOf(dependencies), change);
      const { email: subject } = member;
      const done = WORDS[language].removed(subject);
      return afterChange(visit, removed, { to: '/team', done, subject });
    },
  }),
  actionRoute({
    path: '/team/leave',
    access: 'sales',
    action: 'team.leave',
    find: ({ db }, { account, session }) => findMember(db, account.user_id, session.login_id),
    act: async (dependencies, visit, member) => {
      const { account, session, language } = visit;
      const { email: subject } = session;
      const change = { account, member, changed_by: subject };
      const left = await remove(writingOf(dependencies), change);
      const done = WORDS[language].left(account.username);
      return afterChange(visit, left, { to: '/', done, subject });
    },
  }),
];

/** The person whose membership the form changes. */
async function findNamed(
  { db }: DashboardDependencies,
  { account, form }: MemberVisit,
): Promise<MemberRow | undefined> {
  const login_id = form.get('login_id') ?? '';
  return isRowId(login_id) ? findMember(db, account.user_id, login_id) : undefined;
}

/** The change, or why a person's role stayed as it was; undefined where there is no such member. */
function afterChange(
  { language }: MemberVisit,
  { outcome, ended }: MemberChange,
  { to, done, subject }: { readonly to: string; readonly done: string; readonly subject: string },
): Answer | undefined {
  if (outcome === 'not_found') return undefined;
  if (outcome !== 'done') {
    const notice = WORDS[language].unchanged[outcome];
    return seeOther('/team', { flash: { notice, tone: 'bad' }, subject });
  }
  const notice = [done, ...(ended === null ? [] : endedLines(language, ended))].join(' ');
  return seeOther(to, { flash: { notice }, subject });
}
