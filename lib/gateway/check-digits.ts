// Numbers with check digits: cards, IBANs, creditor references, Mexican accounts (CLABE).

/** IBANs by country and length (ISO 13616, registry release 99). */
export const ibanLengths = new Map<string, number>(
  (
    'AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18DO28EE20EG29ES24FI18FK18FO18FR27GB22' +
    'GE22GI23GL18GR27GT28HN28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MN20' +
    'MR27MT31MU30NI28NL18NO15OM23PK24PL28PS29PT25QA29RO24RS22RU33SA24SC31SD18SE24SI19SK24SM27SO23ST25SV28TL23TN24TR26' +
    'UA29VA22VG24XK20YE30'
  )
    .match(/.{4}/g)
    ?.map((it) => [it.slice(0, 2), Number(it.slice(2))] as const),
);

/** True for an IBAN whose country, length and check digits (ISO 7064) are right; blanks, dots and dashes do not count. */
export function isIban(text: string): boolean {
  const iban = text.replaceAll(/[ .-]/g, '').toUpperCase();
  if (ibanLengths.get(iban.slice(0, 2)) !== iban.length || !/^[A-Z]{2}\d\d[A-Z0-9]+$/.test(iban)) return false;
  return isOneModulo97(iban);
}

/** ISO/IEC 7064, MOD 97-10: the first four characters come last, a letter counts from 10 on. */
function isOneModulo97(text: string): boolean {
  let rest = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt((index + 4) % text.length);
    const value = code > 64 ? code - 55 : code - 48;
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

/** True for a creditor's reference (ISO 11649), with or without blanks between its groups. */
export function isCreditorReference(text: string): boolean {
  const reference = text.replaceAll(' ', '').toUpperCase();
  return /^RF\d{2}[A-Z0-9]{1,21}$/.test(reference) && isOneModulo97(reference);
}

/** The numbers of Mexico's banks begin so: not 5, and few of 6, with which cards of eighteen digits begin. */
const bankOfMexico = /^(?:[01]\d\d|6(?:[0-5]\d|61|70|77|8\d)|7[0-2]\d|90[1-3])/;

/** True for an account of Mexico (CLABE): eighteen digits, the last of which checks the others. */
export function isClabe(digits: string): boolean {
  if (!/^\d{18}$/.test(digits) || !bankOfMexico.test(digits)) return false;
  const weights = [3, 7, 1];
  let sum = 0;
  for (let place = 0; place < 17; place += 1) sum += (Number(digits[place]) * (weights[place % 3] ?? 0)) % 10;
  return (10 - (sum % 10)) % 10 === Number(digits[17]);
}

/** True for digits with the right check digit of ISO/IEC 7812. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - place) - 48;
    const doubled = digit * 2;
    sum += place % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
