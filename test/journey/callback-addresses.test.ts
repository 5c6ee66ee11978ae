// Where the gateway calls back is the merchant's contract's word, not a sender's: whoever may put jobs would hear of every
// payment by naming an address of his own.
import { describe, expect, it } from 'vitest';
import { operationNames, operations } from '../../lib/gateway/operations.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

const names = ['server_callback_url', 'notify_url'];
const own = 'https://stranger.example/hear';

it('no operation takes one without a word of its profile', () => {
  for (const operation of operationNames)
    for (const name of Object.keys(operations[operation].fields).filter((it) => /callback|notify/.test(it)))
      expect([operation, name, operations[operation].fields[name]?.contractDependent]).toEqual([operation, name, true]);
});

describe.each(names)('a job that names %s', (name) => {
  const job = aPayoutJob({ params: { [name]: own } });

  it('is refused unsent', async () => {
    const world = aWorld();
    await world.deliver(aRecord(job));
    expect(world.gateway.posts).toEqual([]);
    expect(world.results.taken).toMatchObject([{ status: 'rejected', failure: { code: 'FIELD_NOT_IN_CONTRACT' } }]);
  });

  it('goes where the profile names the field', async () => {
    const world = aWorld({ profile: { extraFields: { payout: [name] } } });
    await world.deliver(aRecord(job));
    expect(world.gateway.posts).toHaveLength(1);
  });
});
