// The acts on a merchant: what it may pay, whose callbacks are accepted, and its RSA key. A row each, as in acts.ts.
import * as v from 'valibot';
import { personOf } from '../batches/approval-proof.ts';
import {
  findSafeguards,
  type FoundSafeguards,
  isLogin,
  type SafeguardsChange,
  safeguardsText,
  whatOf,
  writeSafeguards,
} from '../batches/safeguards.ts';
import { minorUnitsOf } from '../gateway/money.ts';
import type { Safeguards } from '../gateway/profile.ts';
import { capsSchema, dayCapKinds, dayCapRows } from '../gateway/profile-limits.ts';
import type { Remark } from '../gateway/profile-remarks.ts';
import { redact } from '../gateway/redact.ts';
import { accountShape, loginOf } from '../gateway/signed-request.ts';
import { type Activatable, checkActivation, newKeyBits, stageNewKey } from '../merchants/rotate-key.ts';
import { shellWord, tool } from '../payout/operate/spelling.ts';
import type { Act, ActField, Ended, Given, OperatorDesk, Shown } from './act.ts';
import { checkNames, UsageError } from '../files/usage-error.ts';

type Acting = Pick<OperatorDesk, 'merchants'>;

const merchant: ActField = { label: 'Merchant' };

function named({ merchants }: Acting, { merchant: name = '' }: Given) {
  checkNames({ merchant: name });
  return { name, ports: merchants };
}

// Safeguards: what is not said stays as it is, and the first record needs all of them.

/** Safeguards, with the logins for which they hold. */
type Wanted = Safeguards & Pick<SafeguardsChange, 'logins'>;

/** They, in words. */
function safeguardsWords({ twoPersonRelease, caps, logins }: Wanted): string {
  const each = Object.entries(caps).map(([currency, { single = 'no end', ...ofDay }]) => {
    const days = dayCapKinds.map((kind) => ofDay[kind] && dayCapRows[kind].words(ofDay[kind])).filter(Boolean);
    return [`${currency} ${single} an order`, ...days].join(', ');
  });
  const capped = each.length === 0 ? 'no cap' : `${each.join('; ')}; no other currency`;
  return `two persons ${twoPersonRelease ? 'on' : 'off'}; ${capped}; ${logins.join(', ')}`;
}

/** A record, with who wrote it and when. */
export function changeText(it: SafeguardsChange): string {
  const why = it.reason === undefined ? '' : ` (${it.reason})`;
  return `${safeguardsWords(it)}; ${new Date(it.atMs).toISOString()} by ${it.by}${why}`;
}

/** What holds of a merchant. */
export function safeguardsNow(name: string, found: FoundSafeguards): string {
  if (found.kind === 'hold') return `${name}: ${changeText(found.change)}`;
  return `${name} ${whatOf(found.kind)}; its jobs wait`;
}

const capForm = 'write it as "EUR=1000.00/50000.00/500": no more decimals than the currency has';

const isCap = (text: string) => v.safeParse(capsSchema, capsRead(text)).success;

function capsOf(text: string): Safeguards['caps'] {
  const read = v.safeParse(capsSchema, capsRead(text));
  if (!read.success) throw new UsageError(capForm);
  for (const [currency, { single, perDay }] of Object.entries(read.output))
    if (single !== undefined && perDay !== undefined && minorUnitsOf(single, currency) > minorUnitsOf(perDay, currency))
      throw new UsageError(`--cap ${currency}: ${single} for one order is above ${perDay} a day; lower it`);
  return read.output;
}

function capsRead(text: string): Readonly<Record<string, object>> {
  const limitsNamed = ['single', ...dayCapKinds, ''];
  const entries = text.split('\n').map((line) => {
    const [, currency = '', limits = ''] = /^([^=]*)=(.*)$/.exec(line) ?? [];
    const its = limits.split('/').flatMap((limit, at) => (limit === '-' ? [] : [[limitsNamed[at] ?? '', limit]]));
    return [currency, Object.fromEntries(its)] as const;
  });
  return Object.fromEntries(entries);
}

const loginForm = 'write it as "gateway.example/LOGIN", or the digest of an account as `order` shows it';

/** The login as `loginOf` spells it; undefined if it is none. */
function loginIn(text: string): string | undefined {
  const [, host, login = ''] = /^([^/?#@\\\s]+)\/(.+)$/.exec(text) ?? [];
  const baseUrl = `https://${host}`;
  if (host !== undefined) return URL.canParse(baseUrl) ? loginOf({ baseUrl, login }) : undefined;
  return accountShape.test(text) ? text : undefined;
}

function loginsOf(text: string): readonly string[] {
  return text.split('\n').map((line) => {
    const login = loginIn(line);
    if (login === undefined) throw new UsageError(loginForm);
    return login;
  });
}

function wanted({ twoPersons, cap, uncapped, login }: Given, before: Wanted | undefined): Wanted {
  const logins = login === undefined ? before?.logins : loginsOf(login);
  const twoPersonRelease = twoPersons === undefined ? before?.twoPersonRelease : twoPersons === 'on';
  const caps = cap === undefined ? (uncapped === undefined ? before?.caps : {}) : capsOf(cap);
  if (twoPersonRelease !== undefined && caps !== undefined && logins) return { twoPersonRelease, caps, logins };
  const unsaid = [
    ...(twoPersonRelease === undefined ? ['--two-persons on or off'] : []),
    ...(caps === undefined ? ['--cap CURRENCY=SINGLE/DAY or --uncapped'] : []),
    ...(logins ? [] : ['--login HOST/LOGIN']),
  ];
  throw new UsageError(`add ${unsaid.join(', and ')}: no safeguards are set yet`);
}

async function nextSafeguards(acting: Acting, nowMs: number, it: Given) {
  if (it['cap'] !== undefined && it['uncapped'] !== undefined)
    throw new UsageError('--cap and --uncapped: use one of them');
  const { name, ports } = named(acting, it);
  const { safeguards: store, macs, identity } = ports;
  const by = await identity.whoAmI();
  if (personOf(by) === undefined) throw new UsageError(`${by} names no person; sign in as a person`);
  const found = await findSafeguards(name, { store, macs });
  const its = wanted(it, found.kind === 'hold' ? found.change : undefined);
  for (const login of its.logins.filter(isLogin)) {
    const owner = await store.ownerOf(login);
    if (owner !== undefined && owner !== name)
      throw new UsageError(`${login} belongs to ${owner}: a login is one merchant's for ever`);
  }
  const { reason } = it;
  const next = { ...its, by, atMs: nowMs, ...(reason !== undefined && { reason: redact(reason, []) }) };
  // Throws UsageError if it is too long to be stored.
  safeguardsText(store.place, name, { serial: 1, ...next });
  return { name, ports, found, next };
}

async function shownSafeguards(desk: OperatorDesk, it: Given): Promise<Shown> {
  const { name, found, next } = await nextSafeguards(desk, desk.operator.nowMs(), it);
  const text = `  now:  ${safeguardsNow(name, found)}\n  then: ${safeguardsWords(next)}\n  you are ${next.by}\n`;
  return { text };
}

async function wroteSafeguards(desk: Pick<OperatorDesk, 'merchants' | 'operator'>, it: Given): Promise<Ended> {
  const { name, ports, next } = await nextSafeguards(desk, desk.operator.nowMs(), it);
  const written = await writeSafeguards(name, next, { store: ports.safeguards, maker: ports.maker });
  const value = { merchant: name, written: written !== undefined, ...written };
  if (written)
    return {
      done: true,
      text: `${name}: ${safeguardsWords(written)}; known to every worker within five minutes, and an alarm says so`,
      value,
    };
  const text = `not changed: the safeguards of ${name} were changed, or a login was taken, meanwhile; look again`;
  return { done: false, text, value };
}

// Callbacks.

async function allowed(acting: Acting, it: Given): Promise<Ended> {
  const { name, ports } = named(acting, it);
  const outcome = await ports.callbackDesk.allow(name, it['kmsKey']);
  const texts = {
    allowed: `callbacks of ${name} are accepted, by its present control key; within minutes everywhere`,
    'no secret': `there is no secret of ${name}`,
    'no control key': `the secret of ${name} holds no control key, or can't be read: see \`${tool} secrets check ${shellWord(name)}\``,
  };
  return { done: outcome === 'allowed', text: texts[outcome], value: { merchant: name, outcome } };
}

async function forbidden(acting: Acting, it: Given): Promise<Ended> {
  const { name, ports } = named(acting, it);
  const outcome = await ports.callbackDesk.forbid(name);
  const texts = {
    forbidden: `callbacks of ${name} are accepted no longer, within minutes everywhere`,
    'not allowed': `callbacks of ${name} are not accepted`,
  };
  return { done: outcome === 'forbidden', text: texts[outcome], value: { merchant: name, outcome } };
}

// Keys.

/** A remark on a secret, as a line. */
export const remarkLine = ({ level, field, says }: Remark): string =>
  `${level === 'fault' ? '✘' : '!'} ${field}: ${says}`;

async function newKey(acting: Acting, it: Given): Promise<Ended> {
  const { name, ports } = named(acting, it);
  const made = await stageNewKey(name, it['force'] !== undefined, ports);
  if (made.kind === 'refused') return { done: false, text: made.why, value: { outcome: made.kind, why: made.why } };
  const { version, publicKey } = made;
  const { pem, fingerprint } = publicKey;
  const text = [
    `RSA ${newKeyBits}; the private key is version ${version} of the secret, AWSPENDING; nothing signs with it yet.`,
    `Public key, SHA-256: ${fingerprint}`,
    `1. Give the public key below to the gateway's support manager for ${name}, and compare the SHA-256 by voice.`,
    `2. If it takes one key at a time: \`${tool} pause ${name} --reason "key rotation"\`, five seconds before it changes.`,
    `3. \`${tool} keys activate ${name} --endpoint ENDPOINT\`, where ENDPOINT is an endpoint id of the merchant.`,
  ].join('\n');
  const value = { outcome: 'staged', merchant: name, version, bits: newKeyBits, publicKey: pem, fingerprint };
  return { done: true, text, word: pem, value };
}

function activation(acting: Acting, it: Given): Promise<Activatable> {
  const { name, ports } = named(acting, it);
  const { rollback, force, endpoint: endpointId } = it;
  checkNames({ endpointId });
  const asked = { rollback: rollback !== undefined, evenChanged: force !== undefined };
  return checkActivation(name, { ...asked, endpointId }, ports);
}

async function shownActivation(acting: Acting, it: Given): Promise<Shown> {
  const found = await activation(acting, it);
  if (found.kind === 'refused')
    return { why: [`${found.why}; nothing was changed`, ...found.faults.map(remarkLine)].join('\n') };
  if (found.kind === 'already') return {};
  const key = found.fingerprint === undefined ? [] : [`  public key ${found.fingerprint}`];
  return { text: [...found.warnings.map(remarkLine), ...key].join('\n') };
}

async function activated(acting: Acting, it: Given): Promise<Ended> {
  const { name, ports } = named(acting, it);
  const found = await activation(acting, it);
  if (found.kind === 'already')
    return {
      done: true,
      text: `version ${found.version} is current already`,
      value: { outcome: found.kind, version: found.version },
    };
  if (found.kind === 'refused') {
    const { why, faults } = found;
    const text = [`${why}; nothing was changed`, ...faults.map(remarkLine)].join('\n');
    return { done: false, text, value: { outcome: found.kind, why, faults } };
  }
  const { from, to, taken } = found;
  if ((await ports.secretAdmin.promote(name, { from, to })) === 'overtaken')
    return {
      done: false,
      text: 'AWSCURRENT was moved meanwhile; nothing was changed, look again',
      value: { outcome: 'overtaken' },
    };
  const text = `${name}: version ${to} is current. Workers sign with it within five minutes, at once after a 401 or 403.`;
  return {
    done: true,
    text,
    value: { outcome: 'activated', merchant: name, version: to, previous: from, asked: taken },
  };
}

async function newCardKey(
  { merchants: { cardRing }, operator }: Pick<OperatorDesk, 'merchants' | 'operator'>,
  it: Given,
): Promise<Ended> {
  const kid = it['id'] ?? new Date(operator.nowMs()).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const outcome = await cardRing.add(kid, it['kind'] === 'rsa' ? 'rsa' : 'ec', it['kmsKey']);
  const text =
    outcome === 'exists'
      ? `there is a key ${kid} already; name the new one with --id`
      : `key ${kid} is the one to seal under; give senders what \`${tool} card-keys jwks\` prints`;
  return { done: outcome === 'added', text, value: { kid, outcome } };
}

async function removedCardKey({ merchants: { cardRing } }: Acting, { kid = '' }: Given): Promise<Ended> {
  const outcome = await cardRing.remove(kid);
  const texts = {
    removed: `key ${kid} is gone; messages that were sealed under it will be refused`,
    current: `key ${kid} is the one that senders seal under; make a new one first`,
    unknown: `there is no key ${kid}`,
  };
  return { done: outcome === 'removed', text: texts[outcome], value: { kid, outcome } };
}

const kmsKey: ActField = {
  label: 'KMS key that encrypts the secret of control keys, where there is none yet',
  flag: '--kms-key',
  optional: true,
};
const untouched = async (): Promise<Shown> => ({});

/** Each act on a merchant. */
export const merchantActs = {
  safeguards: {
    command: 'safeguards set',
    title: 'Register, as an approver, the logins of a merchant, and what it may pay',
    on: ['everywhere'],
    fields: {
      merchant,
      twoPersons: {
        label: 'Jobs leave only by files that a second person has approved',
        flag: '--two-persons',
        optional: true,
        choices: { on: 'Two persons', off: 'One person' },
      },
      cap: {
        label:
          'Largest order, total of a day, orders of a day, as EUR=1000.00/50000.00/500; "-" for none; replaces all',
        flag: '--cap',
        optional: true,
        isMany: true,
        fault: (text) => (isCap(text) ? undefined : capForm),
      },
      uncapped: { label: 'No cap in any currency', flag: '--uncapped', optional: true, isSwitch: true },
      login: {
        label: 'Login at the gateway, as gateway.example/LOGIN; an earlier one too; replaces all',
        flag: '--login',
        optional: true,
        isMany: true,
        fault: (text) => (text.split('\n').every((it) => loginIn(it)) ? undefined : loginForm),
      },
      reason: { label: 'Reason: what you saw, or why', flag: '--reason', optional: true },
    },
    effect: () =>
      'Jobs above a cap wait, and so do all jobs of another login. An option that is omitted stays as it is.',
    question: () => 'Write them?',
    preview: shownSafeguards,
    run: wroteSafeguards,
  },
  'allow-callbacks': {
    command: 'callbacks allow',
    title: "Accept a merchant's callbacks, proven by the present control key of its secret",
    on: ['everywhere'],
    fields: { merchant, kmsKey },
    effect: () => 'Orders may end by its callbacks. Run it again after a control key has changed.',
    preview: untouched,
    run: allowed,
  },
  'forbid-callbacks': {
    command: 'callbacks forbid',
    title: "Accept a merchant's callbacks no longer",
    on: ['everywhere'],
    fields: { merchant },
    effect: () => 'Its callbacks are answered 503; orders end by inquiries alone.',
    preview: untouched,
    run: forbidden,
  },
  'new-card-key': {
    command: 'card-keys new',
    title: 'Make a key for senders to seal card data under',
    on: ['everywhere'],
    fields: {
      id: {
        label: 'Its id; the day where it is left empty',
        flag: '--id',
        optional: true,
        shape: /^[A-Za-z0-9_-]{1,16}$/,
        form: 'must be 1 to 16 letters, digits, "-" or "_"',
      },
      kind: {
        label: 'Kind: P-256 where it is left empty, or RSA of 3072 bits',
        flag: '--kind',
        optional: true,
        choices: { ec: 'P-256', rsa: 'RSA of 3072 bits' },
      },
      kmsKey: { ...kmsKey, label: 'KMS key that encrypts the secret of card keys, where there is none yet' },
    },
    effect: () => 'Senders use it from now on. The older ones still open what was sealed under them.',
    preview: untouched,
    run: newCardKey,
  },
  'remove-card-key': {
    command: 'card-keys remove',
    title: 'Remove an older card key',
    on: ['everywhere'],
    fields: { kid: { label: 'Id of the key' } },
    effect: () => 'What was sealed under it cannot be opened any more.',
    preview: untouched,
    run: removedCardKey,
  },
  'new-key': {
    command: 'keys new',
    title: "Make an RSA key of 4096 bits, and print its public half for the gateway's support manager",
    on: ['everywhere'],
    fields: {
      merchant,
      force: {
        label: 'Although there is a pending version that was never activated',
        flag: '--force',
        optional: true,
        isSwitch: true,
      },
    },
    effect: () => 'The private key is the pending version of the secret; nothing signs with it yet.',
    preview: untouched,
    run: newKey,
  },
  'activate-key': {
    command: 'keys activate',
    title: 'Let the worker sign with the pending key, once the gateway knows its public half',
    on: ['everywhere'],
    fields: {
      merchant,
      endpoint: {
        label: 'Endpoint id, at which the gateway is asked first whether it takes the key',
        flag: '--endpoint',
        optional: true,
      },
      rollback: { label: 'Back to the version before', flag: '--rollback', optional: true, isSwitch: true },
      force: {
        label: 'Although other keys of the merchant have changed since',
        flag: '--force',
        optional: true,
        isSwitch: true,
      },
    },
    effect: () => 'Orders signed with a key that the gateway does not know are refused, and wait.',
    // A key that the gateway does not know makes it refuse every order; only the gateway or a person can tell.
    question: ({ endpoint, merchant: name }) =>
      endpoint === undefined ? `Is ${name}'s key in force at the gateway?` : undefined,
    preview: shownActivation,
    run: activated,
  },
} as const satisfies Readonly<Record<string, Act>>;
