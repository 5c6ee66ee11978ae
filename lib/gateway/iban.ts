// IBANs by their own rules (ISO 13616).

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
  let rest = 0;
  for (let index = 0; index < iban.length; index += 1) {
    // A digit by its own value, a letter from 10 on: the first four characters come last.
    const code = iban.charCodeAt((index + 4) % iban.length);
    const value = code > 64 ? code - 55 : code - 48;
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
