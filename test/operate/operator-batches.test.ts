// A person who mistypes the id of a batch must hear that no file was registered under it; jobs may bear it all the same, so that it is
// called off.
import { expect, it } from 'vitest';
import { createOperator } from '../../lib/operate/operator.ts';
import { acts } from '../../lib/operate/acts.ts';
import { aJobOf, batchId, upload } from '../support/uploaded-batch.ts';
import { aWorld } from '../support/world.ts';

function anOperator() {
  const world = aWorld();
  const ports = { ...world.ports, whoAmI: async () => 'ada', controlsAdmin: world.controls };
  return { world, operator: createOperator(ports as unknown as Parameters<typeof createOperator>[0]) };
}

it('a batch that was registered is called off', async () => {
  const { world, operator } = anOperator();
  await upload(world, [aJobOf('A')]);
  expect(await operator.cancelBatch(batchId, 'wrong file')).toBe(false);
  expect(await world.controls.isCalledOff(batchId)).toBe(true);
});

it('so is an unregistered one, and a person is asked whether that is its id', async () => {
  const { world, operator } = anOperator();
  await upload(world, [aJobOf('A')]);
  expect(await operator.cancelBatch('novenber', 'wrong file')).toBe(true);
  expect(await world.controls.isCalledOff('novenber')).toBe(true);
  expect(await acts.cancel.run({ operator }, { batch: 'novenber', reason: 'wrong file' }, {})).toMatchObject({
    done: true,
    text: expect.stringContaining('no file was registered as that batch'),
  });
});

it('one that can not be read is called off all the same, without a question', async () => {
  const { world, operator } = anOperator();
  world.ports.batches.find = () => Promise.reject(new Error('no answer'));
  expect(await operator.cancelBatch(batchId, 'wrong file')).toBe(false);
  expect(await world.controls.isCalledOff(batchId)).toBe(true);
});

it('a batch, an order and a registration that can not be read are named, and the list goes on behind them', async () => {
  const { world, operator } = anOperator();
  await upload(world, [aJobOf('A')]);
  const [batch] = await operator.batches();
  const { batches, dueWork } = world.ports;
  batches.openBatches = async function* (_beforeMs, onUnreadable) {
    onUnreadable?.('odd');
    if (batch) yield batch;
  };
  batches.registeredSince = async function* () {
    yield* ['odd', batchId];
  };
  const { find } = batches;
  batches.find = (id) => (id === 'odd' ? Promise.reject(new Error('other totals')) : find(id));
  dueWork.dueWork = async function* (kind, _beforeMs, { onUnreadable } = {}) {
    if (kind === 'held') onUnreadable?.('acme-eu/ODD');
    yield* [];
  };
  const { notRead } = await operator.todo();
  expect(notRead.map(({ part }) => part)).toEqual(expect.arrayContaining(['order acme-eu/ODD', 'batch odd']));
  expect(await operator.batches()).toEqual([batch]);
});
