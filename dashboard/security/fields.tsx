// The fields for a password and a code.

import type { VNode } from 'preact';
import type { Language } from '../../domain/language';
import { MAX_PASSWORD } from '../../domain/password';
import { Field } from '../forms';
import { WORDS } from './words';

interface OwnFieldProps {
  readonly name: string;
  readonly language: Language;
  readonly fault?: string | undefined;
}

/** The field for the password that the person has now. */
export function PasswordField({ name, language, fault }: OwnFieldProps): VNode {
  return (
    <Field
      name={name}
      type="password"
      label={WORDS[language].old_password}
      autocomplete="current-password"
      fault={fault}
      maxLength={MAX_PASSWORD}
      required
    />
  );
}

/** A recovery code with spaces is shorter. */
const MAX_CODE = 40;

export function CodeField({ name, language, fault }: OwnFieldProps): VNode {
  const words = WORDS[language];
  return (
    <Field
      name={name}
      label={words.code}
      hint={words.any_code_hint}
      autocomplete="one-time-code"
      fault={fault}
      maxLength={MAX_CODE}
      required
    />
  );
}
