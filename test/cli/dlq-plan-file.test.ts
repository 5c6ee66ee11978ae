// A plan of redrives that somebody has agreed on, as a file: it moves what a plan that is shown moves, and a touched one is refused.
import { describe, expect, it } from 'vitest';
import { planAsJson, readPlanFile } from '../../lib/cli/dead-letters/dlq-plan-file.ts';
import { planRedrive, redriveDeadLetters } from '../../lib/dead-letters/redrive-dead-letters.ts';
import { aDeadLetterWorld } from '../support/dead-letter-world.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, longAgoMs } from '../support/records.ts';
import { aDirectory } from './support/files.ts';

const directory = aDirectory();

/** The letter of an order that ended after an outage of fourteen days, and the file of its plan. */
async function afterAnOutage() {
  const it = aDeadLetterWorld();
  it.world.gateway.stays('refuses the connection');
  await it.world.deliver(aRecord(aPayoutJob(), { sentAtMs: longAgoMs }));
  it.world.clock.advance(300_000);
  it.lay();
  it.world.gateway.stays('accepts');
  const { plan } = await planRedrive(() => true, it.ports);
  return { ...it, plan: JSON.stringify(planAsJson(plan)) };
}

describe('a plan in a file', () => {
  it('redrives the letter of an order that has ended, by the end that was seen, as the plan that is shown does', async () => {
    const { world, ports, plan, deliverRedriven } = await afterAnOutage();
    const { endId } = world.entries.get('acme-eu/INV-1') ?? {};
    const agreed = await readPlanFile(await directory.file('plan.json', plan));
    expect(agreed.deadLetters).toMatchObject([{ class: 'submit', resends: endId }]);
    const { moved } = await redriveDeadLetters(agreed, ports);
    expect([...moved.values()]).toEqual(['redriven']);
    await deliverRedriven();
    expect(world.gateway.postsOf('INV-1')).toBe(1);
  });

  it('is refused where it names another end since', async () => {
    const { world, plan } = await afterAnOutage();
    const { endId = '' } = world.entries.get('acme-eu/INV-1') ?? {};
    const touched = await directory.file('touched.json', plan.replace(endId, 'another-end'));
    await expect(readPlanFile(touched)).rejects.toThrow('its hash does not fit its dead letters');
  });
});
