// Card data comes sealed or is refused, in whichever field of the message a sender writes it: a seal of letters, a proof and the name of an
// end are fields like any other.
import { expect, it } from 'vitest';
import { jobFields } from '../../lib/payout/message/job-fields.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { minutes, storyWorld } from './harness.ts';

const pan = '4111111111111111';
const encoded = Buffer.from(JSON.stringify({ alg: 'dir', kid: pan })).toString('base64url');

/** Fields of closed lists and of their own shapes, which hold no digits of a card. */
const shaped = new Set(['version', 'operation', 'notBefore', 'expiresAt']);
const values: Readonly<Record<string, readonly unknown[]>> = {
  params: [
    { ...aPayoutJob().params, order_desc: `card ${pan}` },
    { ...aPayoutJob().params, [pan]: 'x' },
  ],
  sealedParams: [
    `eyJhbGciOiJkaXIifQ.${pan}.iv.ciphertext.tag`,
    `eyJhbGciOiJkaXIifQ..4111-1111-1111-1111.ciphertext.tag`,
    `eyJhbGciOiJkaXIifQ..iv.ciphertext.${pan}`,
    `${encoded}..iv.ciphertext.tag`,
    `eyJhbGciOiJkaXIifQ..iv.${encoded}.tag`,
    `${pan}..iv.ciphertext.tag`,
  ],
  context: [{ note: pan }, { [pan]: 1 }],
  resends: [pan, `end-${pan}`, '4111-1111-1111-1111', encoded.slice(0, 64)],
  approval: [pan, `7.${pan}`, `7.${encoded}`],
};
const rows = Object.keys(jobFields)
  .filter((name) => !shaped.has(name))
  .flatMap((name) => (values[name] ?? [pan]).map((value) => [name, value] as const));

it.each(rows)(
  'a card number in %s (%j) is refused by the name of the field, and is kept nowhere',
  async (name, value) => {
    // given
    const world = storyWorld();
    // when
    const message = world.send(JSON.stringify({ ...aPayoutJob(), [name]: value }));
    await world.pass(5 * minutes);
    // then
    const told = world.told(message);
    expect(told).toMatchObject([
      {
        status: 'rejected',
        failure: {
          code: expect.stringMatching(/^(PLAIN_CARD_DATA|INVALID_MESSAGE)$/),
          message: expect.stringMatching(fieldOf(name)),
        },
      },
    ]);
    expect(world.gateway.posts('INV-1')).toBe(0);
    const [letter, ...others] = world.deadLetters();
    expect(others).toEqual([]);
    for (const text of [world.outlets(), JSON.stringify(letter)]) {
      expect(text).not.toMatch(/4111-?1111/);
      expect(text).not.toContain(encoded.slice(0, 64));
    }
  },
);

/** A fault of `params` names the field within. */
const fieldOf = (name: string) => new RegExp(name === 'params' ? 'params|order_desc' : `\\b${name}\\b`);
