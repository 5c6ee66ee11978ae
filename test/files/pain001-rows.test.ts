// A bank's file of credit transfers, as its rows are read: what becomes of each element, what the file says of itself, and
// each rule broken once.
import { assert, asyncProperty, constantFrom, nat } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BulkRow } from '../../lib/files/bulk-row.ts';
import { openBulkFile } from '../../lib/files/bulk-file.ts';
import { bulkRowsOf } from '../../lib/files/readers.ts';
import { UsageError } from '../../lib/files/usage-error.ts';
import { all } from '../support/bulk-rows.ts';
import { lengthOf } from '../support/long-proof.ts';
import { creditTransfers } from '../cli/support/credit-transfers.ts';
import { aDirectory } from '../cli/support/files.ts';

const files = aDirectory();
const given = { merchant: 'acme-eu', operation: 'payout', endpointId: '39915' };

async function read(xml: string, columns: Readonly<Record<string, string>> = {}) {
  const file = await openBulkFile(await files.file('november.xml', xml));
  try {
    const rows = await bulkRowsOf(file, { given, columns: new Map(Object.entries(columns)) });
    const some: BulkRow[] = await all(rows.read(() => {}));
    return { rows: some, unused: rows.unused?.(), message: rows.message?.(), titleOf: rows.titleOf };
  } finally {
    await file.close();
  }
}

const faultsOf = async (xml: string) => {
  const { rows, titleOf } = await read(xml);
  return rows.flatMap(({ faults, place }) => faults.map(({ path, fault }) => `${titleOf(path, place)} ${fault}`));
};

const two = [{ transfers: [{ id: 'A-1', amount: '1250.00' }] }, { transfers: [{ id: 'B-1', amount: '60.50' }] }];

it.each(['03', '09'] as const)(
  'a file of pain.001.001.%s is a row a transaction, over all its blocks',
  async (version) => {
    const day = version === '09' ? '2026-11-25T08:30:00+01:00' : '2026-11-25';
    const xml = creditTransfers(
      [
        { transfers: [{ id: 'A-1', amount: '1250.00', bic: 'COBADEFFXXX', name: 'Ann &amp; Söhne' }] },
        { day, transfers: [{ id: 'B-1', amount: '60.50' }] },
      ],
      version,
    );
    const { rows, message } = await read(xml);
    const [common, params] = [
      { version: 1, ...given },
      { currency: 'EUR', account_number: 'DE89370400440532013000' },
    ];
    expect(rows.map((it) => [it.row, it.message, it.faults])).toEqual([
      [
        1,
        {
          ...common,
          orderId: 'A-1',
          notBefore: '2026-11-24T00:00:00Z',
          params: { ...params, amount: '1250.00', bank_name: 'COBADEFFXXX', order_desc: 'Invoice A-1' },
          context: { payee_name: 'Ann & Söhne' },
        },
        [],
      ],
      [
        2,
        {
          ...common,
          orderId: 'B-1',
          notBefore: version === '09' ? day : '2026-11-25T00:00:00Z',
          params: { ...params, amount: '60.50', order_desc: 'Invoice B-1' },
          context: { payee_name: 'Ann Example' },
        },
        [],
      ],
    ]);
    const its = { messageId: 'MSG-1', createdAt: '2026-11-24T09:00:00', count: '2', sum: '1310.50' };
    expect(message).toEqual({ version: `pain.001.001.${version}`, ...its });
  },
);

describe('what is read of it', () => {
  const one = (changes: object) => creditTransfers([{ transfers: [{ id: 'A', amount: '1.00', ...changes }] }]);
  const paramsOf = async (xml: string) => (await read(xml)).rows[0]?.message?.['params'];

  it.each<[what: string, changes: object, params: object]>([
    [
      'several lines of remittance are one text',
      { remittance: '<RmtInf><Ustrd>Invoice 1</Ustrd><Ustrd>and 2</Ustrd></RmtInf>' },
      { order_desc: 'Invoice 1 and 2' },
    ],
    [
      'a reference, where there is no text',
      { remittance: '<RmtInf><Strd><CdtrRefInf><Ref>RF18539007547034</Ref></CdtrRefInf></Strd></RmtInf>' },
      { order_desc: 'RF18539007547034' },
    ],
    [
      'references beside a text, and one after the other',
      {
        remittance:
          '<RmtInf><Ustrd>Invoices</Ustrd><Strd><CdtrRefInf><Ref>RF18539007547034</Ref></CdtrRefInf></Strd><Strd><CdtrRefInf><Ref>RF471234567890</Ref></CdtrRefInf></Strd></RmtInf>',
      },
      { order_desc: 'Invoices RF18539007547034 RF471234567890' },
    ],
    ['an account without IBAN', { account: '<Othr><Id>000123456</Id></Othr>' }, { account_number: '000123456' }],
  ])('%s', async (_, changes, params) => {
    expect(await paramsOf(one(changes))).toMatchObject(params);
  });

  it.each([
    ['0100.500', 'EUR', '100.50'],
    ['100.00', 'JPY', '100'],
    ['100', 'EUR', '100'],
    ['1.5', 'EUR', '1.5'],
    ['100.005', 'EUR', '100.005'],
  ])('%s %s is the number that it is: %s', async (amount, currency, plain) => {
    expect(await paramsOf(one({ amount, currency }))).toMatchObject({ amount: plain });
  });

  it('by any prefix of its namespace, and in CDATA', async () => {
    const xml = one({ name: '<![CDATA[A & B]]>' })
      .replaceAll(/<(\/?)(?=[A-Z])/g, '<$1p:')
      .replace('xmlns=', 'xmlns:p=');
    expect((await read(xml)).rows).toMatchObject([{ message: { orderId: 'A', context: { payee_name: 'A & B' } } }]);
  });

  it('what is not used is said, with how often', async () => {
    const xml = one({}).replace('<Cdtr>', '<UltmtDbtr><Nm>X</Nm></UltmtDbtr><Cdtr>');
    expect((await read(xml)).unused).toEqual([
      'GrpHdr/InitgPty (1)',
      'PmtInf/CdtTrfTxInf/UltmtDbtr (1)',
      'PmtInf/Dbtr (1)',
      'PmtInf/DbtrAgt (1)',
    ]);
  });
});

describe("the payee's bank", () => {
  const account = '<Othr><Id>12345678</Id></Othr>';
  const member = (id: string) => `<ClrSysMmbId><MmbId>${id}</MmbId></ClrSysMmbId>`;
  const withBank = (bank: string, more: object = {}) =>
    creditTransfers([{ transfers: [{ id: 'A', amount: '1.00', account, bic: 'HERE', ...more }] }]).replace(
      /<FinInstnId><BIC>HERE<\/BIC><\/FinInstnId>/,
      bank.startsWith('<Brnch') ? bank : `<FinInstnId>${bank}</FinInstnId>`,
    );
  const lost = (element: string) =>
    expect.stringContaining(`names the payee's bank by CdtrAgt/${element}, which is sent nowhere`);

  it('is its name, where it has no BIC', async () => {
    const { rows, unused } = await read(withBank('<Nm>First Bank</Nm>'));
    expect(rows).toMatchObject([{ faults: [], message: { params: { bank_name: 'First Bank' } } }]);
    expect(unused?.join()).not.toContain('Nm');
  });

  it.each([
    ['Nm', 'First Bank'],
    ['LEI', '7H6GLXDRUGQFU57RNE97'],
  ])('is its BIC, where it has both; its %s is told as unused', async (element, text) => {
    const { rows, unused } = await read(withBank(`<BIC>COBADEFFXXX</BIC><${element}>${text}</${element}>`));
    expect(rows).toMatchObject([{ faults: [], message: { params: { bank_name: 'COBADEFFXXX' } } }]);
    expect(unused).toContain(`PmtInf/CdtTrfTxInf/CdtrAgt/FinInstnId/${element} (1)`);
  });

  it.each([
    ['FinInstnId/ClrSysMmbId/MmbId', `${member('021000021')}<Nm>JPM</Nm>`],
    ['FinInstnId/Othr/Id', '<Othr><Id>4711</Id></Othr>'],
    ['FinInstnId/LEI', '<LEI>7H6GLXDRUGQFU57RNE97</LEI>'],
    ['BrnchId/Id', '<BrnchId><Id>0042</Id></BrnchId>'],
  ])('by %s alone is refused: the number alone is an account of another bank too', async (element, bank) => {
    const { rows } = await read(withBank(bank));
    expect(rows).toMatchObject([{ faults: [{ fault: lost(element) }] }]);
  });

  it('by a clearing member goes to the field that the layout names', async () => {
    const to = { 'CdtrAgt/FinInstnId/ClrSysMmbId/MmbId': 'bank_branch' };
    const { rows } = await read(withBank(`${member('601613')}<Nm>First Bank</Nm>`), to);
    expect(rows).toMatchObject([
      { faults: [], message: { params: { bank_branch: '601613', bank_name: 'First Bank' } } },
    ]);
  });

  it('needs nothing beside an IBAN', async () => {
    const { rows, unused } = await read(withBank(member('601613'), { account: undefined }));
    expect(rows).toMatchObject([{ faults: [] }]);
    expect(unused).toContain('PmtInf/CdtTrfTxInf/CdtrAgt/FinInstnId/ClrSysMmbId/MmbId (1)');
  });

  it('is nothing that the layout can make of another element', async () => {
    await expect(read(withBank(''), { 'Cdtr/Nm': 'order_desc' })).rejects.toThrow('names "Cdtr/Nm"');
  });
});

describe('what a person must know', () => {
  it('a day with a zone begins in it', async () => {
    const { rows } = await read(creditTransfers([{ day: '2026-11-30-05:00', transfers: two[0]?.transfers ?? [] }]));
    expect(rows).toMatchObject([{ message: { notBefore: '2026-11-30T00:00:00-05:00' } }]);
  });

  it('the day by which banks mean at once is no day', async () => {
    const { rows } = await read(creditTransfers([{ day: '1999-01-01', transfers: two[0]?.transfers ?? [] }]));
    expect(rows).toMatchObject([{ faults: [] }]);
    expect(rows[0]?.message).not.toHaveProperty('notBefore');
  });

  it('a block that another account pays is paid from the one of the first, with a warning', async () => {
    const [first = '', second = '', ...rest] = creditTransfers([...two, ...two]).split('</PmtInf>');
    const other = second.replace(/(<DbtrAcct><Id><IBAN>)[^<]*/, '$1FR7630006000011234567890189');
    const { rows } = await read([first, other, ...rest].join('</PmtInf>').replaceAll(/<EndToEndId>./g, '<EndToEndId>'));
    expect(rows.map(({ warnings }) => warnings?.map(({ kind }) => kind))).toEqual([[], ['debtor'], [], []]);
  });

  it.each([
    ['an element of another namespace', (xml: string) => xml.replace('<Cdtr>', '<e:Cdtr xmlns:e="urn:e"/><Cdtr>')],
    [
      'another version within',
      (xml: string) => xml.replace('<Cdtr>', '<Cdtr xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">'),
    ],
    ['no namespace within', (xml: string) => xml.replace('<Cdtr>', '<Cdtr xmlns="">')],
  ])('%s: one program shows it, another does not', async (_, change) => {
    const { rows } = await read(change(creditTransfers(two)));
    expect(rows.at(-1)).toMatchObject({
      cutOff: true,
      faults: [{ fault: expect.stringMatching(/^has an element of another namespace than pain\.001\.001\.03/) }],
    });
  });
});

describe('each rule, broken once, is told by line and path', () => {
  const right = creditTransfers(two);
  const changed = 'the file is not whole, or was changed';

  it.each([
    [
      'the number of payments',
      right.replace('<NbOfTxs>2', '<NbOfTxs>3'),
      `line 4, GrpHdr/NbOfTxs says another number of payments than the 2 that are there: ${changed}`,
    ],
    [
      'the sum of all',
      right.replace('<CtrlSum>1310.50', '<CtrlSum>1310.51'),
      `line 4, GrpHdr/CtrlSum is not the sum of the payments that are there: ${changed}`,
    ],
    [
      'the sum of a block',
      right.replace('<CtrlSum>60.50', '<CtrlSum>60.05'),
      `line 29, PmtInf[2]/CtrlSum is not the sum of the payments that are there: ${changed}`,
    ],
    [
      'a cheque',
      right.replace('<PmtMtd>TRF', '<PmtMtd>CHK'),
      'line 11, PmtInf[1]/PmtMtd is not TRF: no credit transfer is asked for',
    ],
    [
      'an IBAN that is none',
      right.replace(/(A-1[\s\S]*?)<IBAN>DE89/, '$1<IBAN>89DE'),
      'line 20, PmtInf[1]/CdtTrfTxInf[1]/CdtrAcct/Id is no IBAN: those begin with a country and two digits; take it from the payee again',
    ],
    ['no day', right.replace('<ReqdExctnDt>2026-11-24</ReqdExctnDt>', ''), 'PmtInf[1]/ReqdExctnDt is missing'],
  ])('%s', async (_, xml, fault) => {
    expect(await faultsOf(xml)).toEqual([fault]);
  });

  it.each([
    ['torn in the middle', (xml: string) => xml.slice(0, xml.indexOf('<Cdtr>'))],
    ['an element that is not closed', (xml: string) => xml.replace('</Amt>', '')],
    ['an entity of its own', (xml: string) => xml.replace('Ann Example', '&payee;')],
  ])('%s: what follows is not read, and nothing can be left out for it', async (_, broken) => {
    const { rows } = await read(broken(right));
    expect(rows.at(-1)).toMatchObject({
      cutOff: true,
      faults: [{ fault: expect.stringMatching(/^is not well-formed XML at line \d+/) }],
    });
  });

  it('a DOCTYPE: no entity is ever resolved, from here or from elsewhere', async () => {
    const bomb = '<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>';
    const xml = right.replace('<Document', `${bomb}\n<Document`).replace('Ann Example', '&x;');
    const { rows } = await read(xml);
    expect(rows).toMatchObject([
      { cutOff: true, faults: [{ fault: 'has a DOCTYPE, which no file of payments needs; have it exported without' }] },
    ]);
    expect(JSON.stringify(rows)).not.toMatch(/root:|haha/);
  });

  it.each([
    ['a text', (xml: string) => xml.replace('Ann Example', 'x'.repeat(1_200_000))],
    ['elements', (xml: string) => xml.replace('<InitgPty>', '<a>'.repeat(100_000))],
    [
      'lines of one text',
      (xml: string) =>
        xml.replace(
          '</CdtTrfTxInf>',
          `<RmtInf>${`<Ustrd>${'x'.repeat(1000)}</Ustrd>`.repeat(1_200)}</RmtInf></CdtTrfTxInf>`,
        ),
    ],
  ])('%s without end: no more of it is kept than of any file', async (_, broken) => {
    const { rows } = await read(broken(right));
    expect(rows).toMatchObject([{ cutOff: true, faults: [{ fault: expect.stringContaining('without end') }] }]);
  });

  it.each<[what: string, again: (xml: string) => string]>([
    ['the amount', (xml) => xml.replace(/<InstdAmt.*?<\/InstdAmt>/, '$&$&')],
    [
      'the account',
      (xml) =>
        xml.replace(
          /<CdtrAcct>.*?<\/CdtrAcct>/,
          '$&<CdtrAcct><Id><IBAN>FR7630006000011234567890189</IBAN></Id></CdtrAcct>',
        ),
    ],
    [
      'an IBAN and another account',
      (xml) => xml.replace('</IBAN></Id></CdtrAcct>', '</IBAN><Othr><Id>1</Id></Othr></Id></CdtrAcct>'),
    ],
    ['the order id', (xml) => xml.replace(/<EndToEndId>.*?<\/EndToEndId>/, '$&<EndToEndId>B</EndToEndId>')],
  ])('%s, said twice: one program would show the first, and the other be paid', async (_, again) => {
    const xml = again(right);
    expect(xml).not.toBe(right);
    const { rows } = await read(xml);
    expect(rows.at(-1)).toMatchObject({ cutOff: true, faults: [{ fault: expect.stringMatching(/^has two values/) }] });
  });

  it.each(['', '$&'])('an account of another namespace is nothing to pay to: %j', async (own) => {
    const foreign = '<e:CdtrAcct xmlns:e="urn:e"><Id><IBAN>FR7630006000011234567890189</IBAN></Id></e:CdtrAcct>';
    const { rows } = await read(right.replace(/<CdtrAcct>.*?<\/CdtrAcct>/, own + foreign));
    const fault = 'has an element of another namespace than pain.001.001.03; have it exported without';
    expect(rows).toMatchObject([{ cutOff: true, faults: [{ fault }] }]);
  });

  it('a name is cut to what comes back on a result, between two characters', async () => {
    const name = '長'.repeat(140);
    const xml = creditTransfers([{ transfers: [{ id: 'A', amount: '1.00', name }] }]);
    const { rows } = await read(xml);
    expect(rows).toMatchObject([{ faults: [], message: { context: { payee_name: '長'.repeat(53) } } }]);
  });

  it('any byte changed, added or lost: the file is read, or the fault is told; and no payment is lost without a word', async () => {
    const ids = ['A-1', 'A-2', 'B-1'];
    const whole = creditTransfers([
      {
        transfers: [
          { id: 'A-1', amount: '1250.00' },
          { id: 'A-2', amount: '7.77' },
        ],
      },
      { transfers: [{ id: 'B-1', amount: '60.50' }] },
    ]);
    const place = nat({ max: whole.length - 1 });
    const byte = constantFrom(...'<>/&;"=0A. é\u0000');
    await assert(
      asyncProperty(place, byte, constantFrom(0, 1, 40), async (at, sign, lost) => {
        const xml = whole.slice(0, at) + sign + whole.slice(at + lost);
        const { rows } = await read(xml).catch((error: unknown) => {
          if (error instanceof UsageError) return { rows: undefined };
          throw error;
        });
        // Another kind of file, and refused as that.
        if (!rows) return;
        const amounts = rows.map(
          ({ message }) => (message?.['params'] as Record<string, string> | undefined)?.['amount'],
        );
        const isWhole = rows.length === ids.length && ['1250.00', '7.77', '60.50'].every((it, n) => it === amounts[n]);
        expect(isWhole || rows.some(({ faults }) => faults.length > 0)).toBe(true);
      }),
      { numRuns: lengthOf({ short: 100, long: 400 }) },
    );
  });
});
