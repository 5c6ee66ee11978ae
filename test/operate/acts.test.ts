// An act is one row: its command, its form, its preview, the command that a page prints and what the browser may send come from it.
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addActs, givenOf } from '../../lib/cli/act-commands.ts';
import { shownText } from '../../lib/cli/perform-act.ts';
import {
  accepted,
  type Act,
  commandOf,
  formOf,
  type Given,
  lookAhead,
  type OperatorDesk,
  previewOf,
} from '../../lib/operate/act.ts';
import { UsageError } from '../../lib/files/usage-error.ts';
import { actNames, actOf, type ActName } from '../../lib/operate/acts.ts';
import { reasonToFill } from '../../lib/payout/operate/spelling.ts';
import { anOrder } from '../support/orders.ts';
import { wordsOf } from '../cli/support/cli.ts';

const order = 'acme-eu/INV-1';
const reason = 'seen in the back office';
const samples: Readonly<Record<ActName, readonly Given[]>> = {
  release: [
    { order, as: 'paid', reason },
    { order, as: 'not-paid', reason, gatewayOrderId: '9000', approval: 'abc', force: 'true' },
  ],
  approve: [{ order, for: 'arn:aws:iam::000000000000:user/ada', seen: '7' }],
  cancel: [
    { order, reason },
    { batch: 'november', reason },
  ],
  pause: [{ merchant: 'acme-eu', endpoint: 'group/7', reason }, { reason }],
  'begin-ledger': [{ table: 'payouts-prod-ledger' }],
  resume: [{ merchant: 'acme-eu', reason }, {}],
  probe: [{ merchant: 'acme-eu', endpoint: '39915', reason }],
  redrive: [{ message: 'm-1\nm-2' }, { merchant: 'acme-eu', code: 'EXPIRED' }, { all: 'true' }],
  discard: [
    { message: 'm-1', reason },
    { order, reason },
  ],
  retry: [{ batch: 'november', file: 'november.csv', hold: 'true' }],
  erase: [{ order }, { endedBefore: '400d' }],
  safeguards: [{ merchant: 'acme-eu', twoPersons: 'on', cap: 'EUR=1000.00/50000.00\nJPY=-/5000000', reason }],
  'allow-callbacks': [{ merchant: 'acme-eu' }],
  'forbid-callbacks': [{ merchant: 'acme-eu' }],
  'new-card-key': [{ id: 'k-1', kind: 'rsa' }, {}],
  'remove-card-key': [{ kid: 'k-1' }],
  'new-key': [{ merchant: 'acme-eu', force: 'true' }],
  'activate-key': [
    { merchant: 'acme-eu', endpoint: '39915' },
    { merchant: 'acme-eu', rollback: 'true' },
  ],
};

/** What the command line makes of a printed command. */
async function readBack(act: Act, printed: string): Promise<Given> {
  const program = new Command();
  addActs(program, [act]);
  let given: Given | undefined;
  const prepare = (it: Command): void => {
    it.exitOverride();
    if (it.commands.length === 0) it.action(() => void (given = givenOf(act, it)));
    it.commands.forEach(prepare);
  };
  prepare(program);
  await program.parseAsync(wordsOf(printed));
  return given ?? {};
}

describe.each(actNames.map((name) => [name, actOf(name)] as const))('%s', (name, act) => {
  it('is taken from the browser as it was filled in, and nothing beside it', () => {
    for (const given of samples[name]) {
      expect(accepted(act, given)).toEqual(given);
      expect(() => accepted(act, { ...given, other: 'x' })).toThrow(UsageError);
    }
  });

  it('is printed as the command that does the same', async () => {
    for (const given of act.hasOwnCommand ? [] : samples[name])
      expect(await readBack(act, commandOf(act, given))).toEqual(given);
  });

  it('has a label for each field of its form, and says what it does to the money', () => {
    const form = formOf(name, act);
    expect(form.fields.length).toBeGreaterThan(0);
    for (const field of form.fields) expect(field.label).not.toBe('');
    for (const given of samples[name]) expect(act.effect(given)).toMatch(/\.$/);
  });
});

it('a reason that was not filled in is none, and what must be there is asked for by its label', () => {
  const release = actOf('release');
  const given = { order, as: 'paid', reason };
  expect(() => accepted(release, { ...given, reason: `"${reasonToFill}"` })).toThrow('write what you saw');
  expect(() => accepted(release, { order, as: 'paid' })).toThrow('Reason: what you saw, or why: fill it in');
  expect(() => accepted(actOf('cancel'), { reason })).toThrow('name one of these alone: order, --batch');
});

it('a new act is one row and one function', async () => {
  // given
  const thank: Act = {
    command: 'thank',
    title: 'Thank the gateway',
    on: ['everywhere'],
    fields: { merchant: { label: 'Merchant' }, words: { label: 'Words', flag: '--words', shape: /^[a-z ]+$/ } },
    effect: ({ merchant }) => `${merchant} thanks its gateway.`,
    run: async ({ operator }, { merchant = '', words }) => {
      const done = (await operator.pause(merchant, false, words ?? '')) !== 'no-secret';
      return { done, text: done ? 'thanked' : 'no such merchant', value: {} };
    },
  };
  const known = { pause: async () => 'done' };
  const unknown = { pause: async () => 'no-secret' };
  const desk = { operator: known, dry: unknown } as unknown as OperatorDesk;
  const given = { merchant: 'acme-eu', words: 'many thanks' };

  // then
  expect(commandOf(thank, given)).toBe(`node . thank acme-eu --words 'many thanks'`);
  expect(await readBack(thank, 'node . thank acme-eu --words "many thanks"')).toEqual(given);
  expect(accepted(thank, given)).toEqual(given);
  expect(() => accepted(thank, { ...given, words: 'THANKS' })).toThrow('Words: is not valid');
  expect(formOf('thank', thank)).toEqual({
    label: 'Thank',
    title: 'Thank the gateway',
    fields: [
      { key: 'merchant', label: 'Merchant', kind: 'line', optional: false, choices: [] },
      { key: 'words', label: 'Words', kind: 'line', optional: false, choices: [] },
    ],
    oneOf: [],
    asks: false,
  });
  // The preview runs the same over the port that writes nothing.
  expect(await previewOf(thank, desk, given)).toEqual({ why: 'no such merchant' });
  expect(await thank.run(desk, given, {})).toMatchObject({ done: true, text: 'thanked' });
});

it('a release of an order that the gateway is asked about first is no refusal beforehand: by the act it is asked', async () => {
  // given an order in doubt, whose gateway can be asked
  const found = async () => ({ kind: 'found', view: { seen: 'a'.repeat(16) } });
  const asking = { decide: async () => ({ kind: 'asking' }) };
  const desk = { operator: { order: found }, dry: asking } as unknown as OperatorDesk;

  // when it is previewed
  const shown = await previewOf(actOf('release'), desk, { order, as: 'not-paid', reason });

  // then
  expect(shown).toEqual({ text: expect.stringContaining('the gateway is asked first'), seen: 'a'.repeat(16) });
});

it('a plan of which the walk saw only a part says so', async () => {
  // given a walk over dead letters that ran out of time
  const letter = { messageId: 'm-1', class: 'reject', because: 'INVALID_MESSAGE', changes: false };
  const walk = { seen: 300, end: 'time' };
  const planRedrive = async () => ({ plan: { deadLetters: [letter], totals: {} }, walk });
  const desk = { operator: { planRedrive } } as unknown as OperatorDesk;

  // when a redrive is previewed
  const shown = await previewOf(actOf('redrive'), desk, { all: 'true' });

  // then
  expect(shownText(shown)).toMatch(/1 dead letter would move\nstopped after 300 dead letters, .*there may be more$/);
});

it('a look ahead at an order says which choice is refused now, by the decision itself, dry', async () => {
  // given an order that can be called paid, and not yet unpaid
  const view = { state: 'held', seen: 'AAAAAAAAAAAAAAAA' };
  const decide = async (_order: string, { as }: { readonly as: string }) =>
    as === 'paid' ? { kind: 'not-found' } : { kind: 'refused', why: 'too early' };
  const paid = { kind: 'beforehand', order: anOrder({}) };
  const glance = {
    order: async () => ({ kind: 'found', view }),
    decide: async (key: string, it: { readonly as: string }) => (it.as === 'paid' ? paid : decide(key, it)),
  };
  const desk = { glance } as unknown as OperatorDesk;

  // then
  expect(await lookAhead(actOf('release'), desk, { order })).toEqual({ but: 'not paid: too early' });
  const never = { glance: { ...glance, decide } } as unknown as OperatorDesk;
  expect(await lookAhead(actOf('release'), never, { order })).toEqual({ why: 'the ledger has no such order' });
});
