// Accounts, banks, cards and currencies by their own rules: registries, lengths, check digits. IBAN and BIC are judged by
// ibantools, which keeps the registries; for the operator's tool alone, never in a Lambda function.
import { countrySpecs, isValidBBAN, isValidBIC, validateIBAN, ValidationErrorsIBAN } from 'ibantools';
import { isIban, passesLuhn } from '../gateway/check-digits.ts';
import { operations } from '../gateway/operations.ts';
import type { Job } from '../payout/message/job.ts';
import type { RowFinding, ValueForm, WarningKind } from './row-findings.ts';

const account = 'params.account_number';
const retake = 'take it from the payee again';

/** An account number without what people put between its groups. */
export const compactAccount = (text: string): string => text.replace(/[\s-]/g, '').toUpperCase();

/** The country of an IBAN by its form; undefined for any other text. */
export function ibanCountry(compact: string): string | undefined {
  const country = /^([A-Z]{2})\d{2}[A-Z0-9]{8,30}$/.exec(compact)?.[1];
  return country !== undefined && countrySpecs[country]?.chars ? country : undefined;
}

/** Digits that were typed once too often or too seldom. */
const slipOfLength = 2;

/** Is it an IBAN, and a right one? An account number that only begins like one is left alone, unless its column says IBAN. */
export function accountFindings({ params, money }: Job, forms: ReadonlyMap<string, ValueForm>): RowFinding[] {
  const text = params['account_number'];
  if (text === undefined) return [];
  const compact = compactAccount(text);
  const country = ibanCountry(compact);
  const fault = (why: string): RowFinding[] => [{ path: account, fault: why }];
  if (country === undefined) {
    if (forms.get(account) !== 'iban') return [];
    return fault(
      'is no IBAN: those begin with a country and two digits; correct it, or name the column "account_number"',
    );
  }
  // The registry's check digits cost twice ours, and almost every account of a million is right.
  const isRight = isIban(compact) && isValidBBAN(compact.slice(4), country);
  const errorCodes: readonly ValidationErrorsIBAN[] = isRight ? [] : validateIBAN(compact).errorCodes;
  const length = countrySpecs[country]?.chars ?? 0;
  if (compact.length !== length) {
    if (forms.get(account) !== 'iban' && Math.abs(compact.length - length) > slipOfLength) return [];
    return fault(`has ${compact.length} characters, and an IBAN of ${country} has ${length}; ${retake}`);
  }
  if (errorCodes.includes(ValidationErrorsIBAN.WrongBBANFormat))
    return fault(`has letters or digits where an IBAN of ${country} has none; ${retake}`);
  if (errorCodes.includes(ValidationErrorsIBAN.WrongIBANChecksum))
    return fault(`is an IBAN whose check digits are wrong; ${retake}`);
  return [
    ...(errorCodes.includes(ValidationErrorsIBAN.WrongAccountBankBranchChecksum)
      ? [warned('account', account, `has a right IBAN around an account whose own check digits look wrong; ${retake}`)]
      : []),
    ...riskFindings(country),
    ...countryFindings(country, money?.currency),
  ];
}

const warned = (kind: WarningKind, path: string, warning: string): RowFinding => ({ kind, path, warning });

/** Currencies in which people anywhere are paid. */
const worldwide: ReadonlySet<string> = new Set(['EUR', 'USD', 'GBP', 'CHF', 'JPY', 'CAD', 'AUD', 'CNY']);
/** Countries that pay in the currency of another one, whose name the currency bears. */
const guests: Readonly<Record<string, readonly string[]>> = {
  DKK: ['FO', 'GL'],
  ILS: ['PS'],
  NOK: ['SJ'],
};

/**
 * Countries under sanctions on their banks, independent of the payee: FATF's call for action (Iran, North Korea, Myanmar), and the
 * banks of Russia and Belarus that most gateways can't reach. Who may be paid there is for a lawyer to say.
 */
const sanctioned: ReadonlySet<string> = new Set(['BY', 'IR', 'KP', 'MM', 'RU']);
const countryNames = new Intl.DisplayNames('en', { type: 'region' });

function riskFindings(country: string): RowFinding[] {
  if (!sanctioned.has(country)) return [];
  const name = countryNames.of(country) ?? country;
  return [warned('country', account, `is in ${name}, whose banks are under sanctions; make sure that it may be paid`)];
}

/** The first two letters of a currency are its country's, but for those of several countries, which begin with X. */
function countryFindings(country: string, currency: string | undefined): RowFinding[] {
  if (currency === undefined || worldwide.has(currency) || currency.startsWith('X')) return [];
  if (currency.startsWith(country) || guests[currency]?.includes(country)) return [];
  return [warned('country', 'params.currency', `is not what accounts in ${country} are kept in, by the IBAN`)];
}

/** Territories whose accounts bear the country's IBAN, and whose banks their own letters. */
const territories: Readonly<Record<string, readonly string[]>> = {
  FR: ['BL', 'GF', 'GP', 'MF', 'MQ', 'NC', 'PF', 'PM', 'RE', 'TF', 'WF', 'YT', 'MC'],
  GB: ['GG', 'IM', 'JE'],
  FI: ['AX'],
};

/** The BIC in the bank's fields, if there is one. A bank's name may look like one, so that alone refuses nothing. */
export function bankFindings({ params }: Job, forms: ReadonlyMap<string, ValueForm>): RowFinding[] {
  const found: RowFinding[] = [];
  for (const name of ['bank_name', 'bank_branch']) {
    const text = params[name];
    if (text === undefined) continue;
    const path = `params.${name}`;
    const isSaid = forms.get(path) === 'bic';
    const bic = text.replaceAll(' ', '').toUpperCase();
    if (isSaid && !isValidBIC(bic)) {
      const fault = 'is no BIC (SWIFT code): those are 8 or 11 characters with a country in the fifth and sixth';
      found.push({ path, fault: `${fault}, such as "DEUTDEFF"; ${retake}` });
    } else if (
      isSaid ||
      (/^[A-Z]{6}(?=[A-Z0-9]*\d|[A-Z0-9]{2}X{3})[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(text) && isValidBIC(bic))
    ) {
      const [home, bank] = [ibanCountry(compactAccount(params['account_number'] ?? '')), bic.slice(4, 6)];
      if (home === undefined || home === bank || territories[home]?.includes(bank)) continue;
      found.push(
        warned('bank', path, `is a BIC of ${bank}, and the account's IBAN is of ${home}; one of them is wrong`),
      );
    }
  }
  return found;
}

/** Cards of these prefixes do not all have a check digit. */
const withoutCheckDigit = /^(?:62|2014|2149)/;
const shortestCard = 12;

/** Check digits of card numbers, and the month after which a card is of no use. */
export function cardFindings({ operation, params }: Job, nowMs: number): RowFinding[] {
  const found: RowFinding[] = [];
  const { fields } = operations[operation];
  for (const [name, digits] of Object.entries(params)) {
    if (fields[name]?.card !== 'number') continue;
    const path = `params.${name}`;
    if (digits.length < shortestCard)
      found.push({ path, fault: `has ${digits.length} digits, too few for a card number; ${retake}` });
    else if (passesLuhn(digits)) continue;
    else if (withoutCheckDigit.test(digits))
      found.push(warned('card', path, `has a wrong check digit, which few cards of its network have; ${retake}`));
    else found.push({ path, fault: `is no card number: its check digit is wrong; ${retake}` });
  }
  const { expire_month: month, expire_year: year } = params;
  if (month === undefined || year === undefined || !hasExpired(Number(month), Number(year), nowMs)) return found;
  return [...found, warned('card', 'params.expire_year', 'with the month says that the card has expired')];
}

/** A card is good until the end of its month, anywhere in the world. */
function hasExpired(month: number, year: number, nowMs: number): boolean {
  const dayMs = 86_400_000;
  return Date.UTC(year < 100 ? 2000 + year : year, month, 1) + dayMs <= nowMs;
}
