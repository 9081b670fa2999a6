// The fields for a password and a code.

import { MAX_PASSWORD } from '../../domain/password';
import { Field } from '../forms';
import { useFrame } from '../frame';
import { WORDS } from './words';

interface OwnFieldProps {
  readonly name: string;
  readonly fault?: string | undefined;
}

/** The field for the password that the person has now. */
export function PasswordField({ name, fault }: OwnFieldProps) {
  const { language } = useFrame();
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

/** The field for a password that the person chooses. */
export function NewPasswordField(props: Readonly<Record<'label' | 'hint', string>>) {
  return (
    <Field
      {...props}
      name="password"
      type="password"
      autocomplete="new-password"
      maxLength={MAX_PASSWORD}
      required
    />
  );
}

/** A recovery code with spaces is shorter. */
const MAX_CODE = 40;

export function CodeField({ name, fault }: OwnFieldProps) {
  const words = WORDS[useFrame().language];
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
