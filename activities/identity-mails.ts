// The mails about identity checks, in the language of the person they are for; in both where it is
// not known. None of them holds what was submitted.

import type { Addressee, CheckMail, CheckStep } from '../db/accounts/identity-checks';
import { translate } from '../domain/language';
import { mailIn, type Mail, type MailText } from '../use-cases/mails';

type Message = NonNullable<CheckStep['message']>;

const FOR_OPERATORS: readonly Message[] = ['received', 'reminder'];
const FOR_OWNERS: readonly Message[] = ['reminder', 'approved', 'rejected', 'expired'];

export function mailsOfCheck(message: Message, about: CheckMail, dashboard_url: string): Mail[] {
  const { owners, operators } = about;
  const queue = { ...about, link: `${dashboard_url}/operators/identity-checks` };
  // An approval leads to the page that offers live mode.
  const page = { ...about, link: `${dashboard_url}/identity` };
  return [
    ...(FOR_OPERATORS.includes(message)
      ? operators.map((one) => mailTo(one, (words) => words.operators(message, queue)))
      : []),
    ...(FOR_OWNERS.includes(message)
      ? owners.map((one) => mailTo(one, (words) => words.owner(message, page)))
      : []),
  ];
}

interface About extends CheckMail {
  readonly link: string;
}

interface Texts {
  readonly operators: (message: Message, about: About) => MailText;
  readonly owner: (message: Message, about: About) => MailText;
}

function mailTo(reader: Addressee, write: (texts: Texts) => MailText): Mail {
  return mailIn(reader, (language) => write(TEXTS[language]));
}

const dayOf = (instant: string | null): string => (instant ?? '').slice(0, 10);

export const TEXTS = translate<Texts>({
  operators: [
    (message, { username, created_at, expires_at, link }) => ({
      subject:
        message === 'received'
          ? `An identity check waits: ${username}`
          : `Still waiting: the identity check of ${username}`,
      text: `The account ${username} has submitted an identity check on ${dayOf(created_at)}. It waits for an operator's decision and expires on ${dayOf(expires_at)}.\n\n${link}`,
    }),
    (message, { username, created_at, expires_at, link }) => ({
      subject:
        message === 'received'
          ? `Une vérification d’identité attend : ${username}`
          : `Toujours en attente : la vérification d’identité de ${username}`,
      text: `Le compte ${username} a soumis une vérification d’identité le ${dayOf(created_at)}. Elle attend la décision d’un opérateur et expire le ${dayOf(expires_at)}.\n\n${link}`,
    }),
  ],
  owner: [
    (message, { username, created_at, expires_at, reason, link }) => {
      switch (message) {
        case 'approved':
          return {
            subject: 'Your identity check is approved',
            text: `The identity check of your account ${username} is approved: you can take real money now. Open this page and press “Switch to live mode”. The links and posters of test mode can be made again there.\n\n${link}`,
          };
        case 'rejected':
          return {
            subject: 'Your identity check was not approved',
            text: `The identity check of your account ${username} was not approved.${reason === null ? '' : `\n\nReason: ${reason}`}\n\nYou can correct your details and submit them again.\n\n${link}`,
          };
        case 'expired':
          return {
            subject: 'Your identity check has expired',
            text: `Nobody has decided about the identity check of your account ${username} in time. Please submit it again; we are sorry for the trouble.\n\n${link}`,
          };
        case 'received':
        case 'reminder':
          return {
            subject: 'Your identity check is still waiting',
            text: `We have had the identity check of your account ${username} since ${dayOf(created_at)} and have not decided yet. You need not do anything. If nobody decides, it expires on ${dayOf(expires_at)} and can be submitted again.\n\n${link}`,
          };
      }
    },
    (message, { username, created_at, expires_at, reason, link }) => {
      switch (message) {
        case 'approved':
          return {
            subject: 'Votre vérification d’identité est approuvée',
            text: `La vérification d’identité de votre compte ${username} est approuvée : vous pouvez maintenant encaisser de l’argent réel. Ouvrez cette page et appuyez sur « Passer en mode réel ». Les liens et affiches du mode test pourront y être refaits.\n\n${link}`,
          };
        case 'rejected':
          return {
            subject: 'Votre vérification d’identité n’a pas été approuvée',
            text: `La vérification d’identité de votre compte ${username} n’a pas été approuvée.${reason === null ? '' : `\n\nMotif : ${reason}`}\n\nVous pouvez corriger vos informations et les soumettre à nouveau.\n\n${link}`,
          };
        case 'expired':
          return {
            subject: 'Votre vérification d’identité a expiré',
            text: `Personne n’a statué à temps sur la vérification d’identité de votre compte ${username}. Veuillez la soumettre à nouveau ; nous vous prions de nous excuser.\n\n${link}`,
          };
        case 'received':
        case 'reminder':
          return {
            subject: 'Votre vérification d’identité est toujours en attente',
            text: `Nous avons reçu la vérification d’identité de votre compte ${username} le ${dayOf(created_at)} et n’avons pas encore statué. Vous n’avez rien à faire. Sans décision, elle expire le ${dayOf(expires_at)} et pourra être soumise à nouveau.\n\n${link}`,
          };
      }
    },
  ],
});
