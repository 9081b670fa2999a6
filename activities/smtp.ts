// Sends one mail by SMTP, and says whether another try makes sense.

import nodemailer from 'nodemailer';
import type { MailOutcome } from '../db/people/mails';

export interface OutgoingMail {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface SentMail {
  readonly outcome: MailOutcome;
  /**
   * Why the server refused, in its words. They may name the recipient, so it belongs into the
   * table, not into a log.
   */
  readonly error: string | null;
}

/** Never rejects. */
export type SendMail = (mail: OutgoingMail) => Promise<SentMail>;

export interface SmtpOptions {
  /** `smtp://` or `smtps://`, with user and password when the server asks for them. */
  readonly url: string;
  readonly from: string;
  /** Mails hold links that change passwords: nothing is sent over a line that is not encrypted. */
  readonly require_tls: boolean;
}

// Each wait of one conversation, in ms; the activity's own deadline ends the whole
// (workflows/mail.ts).
const TIMEOUTS = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  dnsTimeout: 10_000,
  socketTimeout: 20_000,
} as const;

export function createSmtp({ url, from, require_tls }: SmtpOptions): SendMail {
  // A connection per mail: mails are few, and a broken connection then breaks one of them.
  const transport = nodemailer.createTransport({
    url,
    ...TIMEOUTS,
    requireTLS: require_tls,
    // No text or file is read because an address or a text names it.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = /@([^\s>]+)>?$/.exec(from)?.[1] ?? 'localhost';
  return async ({ id, to, subject, text }) => {
    try {
      await transport.sendMail({
        from,
        // One mailbox: a comma in it is no list.
        to: { name: '', address: to },
        subject,
        text,
        messageId: `<${id}@${domain}>`,
        // Out-of-office replies to a machine are of no use (RFC 3834).
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
      return { outcome: 'sent', error: null };
    } catch (error) {
      return { outcome: isFinal(error) ? 'refused' : 'failed', error: String(error) };
    }
  };
}

interface SmtpError {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
}

/**
 * The server refuses this recipient or this text for good. Refusals of the sender or of our
 * password are mistakes of the configuration, which an operator may mend meanwhile.
 */
function isFinal(error: unknown): boolean {
  const { code = '', command = '', responseCode = 0 } = error as SmtpError;
  if (responseCode < 500) return code === 'EENVELOPE' && command === 'API';
  return command === 'RCPT TO' || command === 'DATA';
}
