// The currencies in which money is paid: ISO 4217, list one, as of 2026-01-01. Not in it: metals, units of account and test codes
// (XAU, XDR, XSU, XTS and their like), in which there are no accounts.

const byMinorDigits = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2:
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP COU CRC ' +
    'CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR ' +
    'KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN ' +
    'PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS ' +
    'UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
} as const;

/** The number of digits after the decimal point, by currency. */
export const currencies: ReadonlyMap<string, number> = new Map(
  Object.entries(byMinorDigits).flatMap(([digits, codes]) =>
    codes.split(' ').map((code) => [code, Number(digits)] as const),
  ),
);

/** Codes that were withdrawn, and the currency in which their accounts are kept now (ISO 4217, list three). */
const successors: Readonly<Record<string, string>> = {
  AZN: 'AZM',
  BYN: 'BYR',
  CUP: 'CUC',
  EUR: 'ATS BEF BGN CYP DEM EEK ESP FIM FRF GRD HRK IEP ITL LTL LUF LVL MTL NLG PTE SIT SKK',
  GHS: 'GHC',
  MRU: 'MRO',
  RON: 'ROL',
  RUB: 'RUR',
  SLE: 'SLL',
  STN: 'STD',
  TRY: 'TRL',
  VES: 'VEB VEF',
  XCG: 'ANG',
  ZMW: 'ZMK',
  ZWG: 'ZWD ZWL ZWR',
};
const withdrawn = new Map(
  Object.entries(successors).flatMap(([now, codes]) => codes.split(' ').map((code) => [code, now] as const)),
);

/** Why no payment is made in this currency; undefined for one of {@link currencies}. */
export function currencyFault(code: string): string | undefined {
  if (currencies.has(code)) return undefined;
  const now = withdrawn.get(code);
  return now === undefined
    ? 'is not a currency; write its ISO 4217 code, such as "EUR"'
    : `was withdrawn; write the amount in ${now}`;
}
