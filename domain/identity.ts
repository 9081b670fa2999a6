// Identity checks: what a merchant says about the account's owner, and how its status may change.

export const KYC_STATUSES = ['not_started', 'pending', 'approved', 'rejected', 'expired'] as const;
export type KycStatus = (typeof KYC_STATUSES)[number];

/** `overruled`: an operator decides without a submission, or after a decision. */
type Cause = 'submitted' | 'decided' | 'overruled' | 'expired';

/** The allowed changes; a test compares them with the table `kyc_edges`. */
export const IDENTITY_EDGES: Readonly<
  Record<KycStatus, Readonly<Partial<Record<KycStatus, Cause>>>>
> = {
  not_started: { pending: 'submitted', approved: 'overruled', rejected: 'overruled' },
  pending: { approved: 'decided', rejected: 'decided', expired: 'expired' },
  approved: { approved: 'overruled', rejected: 'overruled' },
  rejected: { pending: 'submitted', approved: 'overruled', rejected: 'overruled' },
  expired: { pending: 'submitted', approved: 'overruled', rejected: 'overruled' },
};

export function maySubmit(status: string): boolean {
  return IDENTITY_EDGES[status as KycStatus]?.pending === 'submitted';
}

export const DOCUMENT_TYPES = [
  'passport',
  'national_id',
  'residence_permit',
  'company_register',
] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

/**
 * Personal data, which is sealed in the database, shown to operators only, and nowhere in Temporal
 * or a log.
 */
export interface Identity {
  readonly kind: 'person' | 'company';
  readonly legal_name: string;
  /** A person's date of birth, `2001-12-31`; empty for a company. */
  readonly birth_date: string;
  /** A company's number; empty for a person. */
  readonly registration_number: string;
  readonly address: string;
  /** ISO 3166-1, two letters. */
  readonly country: string;
  readonly document_type: DocumentType;
  readonly document_number: string;
}

export type IdentityFault =
  'missing' | 'too_long' | 'invalid_date' | 'under_age' | 'invalid_choice';
export type IdentityFaults = Partial<Record<keyof Identity, IdentityFault>>;

export const IDENTITY_LENGTHS = {
  legal_name: 200,
  registration_number: 64,
  address: 300,
  document_number: 64,
} as const;

/** The age at which a person may hold an account. */
const ADULT_YEARS = 18;

/**
 * @param given by field name; spaces around values are dropped
 * @param today `2026-11-22`
 */
export function readIdentity(
  given: (name: keyof Identity) => string,
  countries: readonly string[],
  today: string,
): { readonly identity: Identity; readonly faults: IdentityFaults } {
  const text = (name: keyof Identity): string => given(name).trim();
  const kind = text('kind') === 'company' ? 'company' : 'person';
  const document_type = DOCUMENT_TYPES.find((type) => type === text('document_type'));
  const identity: Identity = {
    kind,
    legal_name: text('legal_name'),
    birth_date: kind === 'person' ? text('birth_date') : '',
    registration_number: kind === 'company' ? text('registration_number') : '',
    address: text('address'),
    country: text('country').toUpperCase(),
    document_type: document_type ?? 'passport',
    document_number: text('document_number'),
  };
  const faults: IdentityFaults = {};
  for (const name of Object.keys(IDENTITY_LENGTHS) as (keyof typeof IDENTITY_LENGTHS)[]) {
    const isNeeded = name !== 'registration_number' || kind === 'company';
    if (isNeeded && identity[name] === '') faults[name] = 'missing';
    if (identity[name].length > IDENTITY_LENGTHS[name]) faults[name] = 'too_long';
  }
  if (kind === 'person') {
    const fault = dateFault(identity.birth_date, today);
    if (fault) faults.birth_date = fault;
  }
  if (!countries.includes(identity.country)) faults.country = 'invalid_choice';
  if (!document_type) faults.document_type = 'invalid_choice';
  return { identity, faults };
}

function dateFault(date: string, today: string): IdentityFault | undefined {
  if (date === '') return 'missing';
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date);
  // A day that the calendar does not have becomes another one.
  const isDay = match && new Date(`${date}T00:00:00Z`).getUTCDate() === Number(match[3]);
  if (!isDay || date < '1900-01-01' || date > today) return 'invalid_date';
  const comes_of_age = `${Number(match[1]) + ADULT_YEARS}${date.slice(4)}`;
  return comes_of_age > today ? 'under_age' : undefined;
}
