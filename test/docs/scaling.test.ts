// The model of prices does what plain arithmetic with the list prices does, and the README says what the model does.
import { expect, it } from 'vitest';
import { idleParts, knownRange, payingBill, ours, sendingOf, totalOf } from '../bench/price-model.ts';
import { prices } from '../bench/prices.ts';
import { documents } from './generated-tables.ts';
import { pageOf } from './pages.ts';

const words = (text: string) => text.replaceAll(/\s+/g, ' ');
const cents = (amount: number) => amount.toFixed(2);
const mine = payingBill(ours, 200);

/** Worked out by hand, with the list prices. */
const months = 400 / 30.4;
const batchSeconds = (200 + 25 + (10 * ours.cpuMs * 1769) / ours.memoryMb) / 1_000;
const logGb = (ours.logBytes + ours.logBytesOfBatch / 10 + 35) / 1_000;
const writeUnits = ours.writeUnits + ours.writeUnitsOfBatch / 10;
const sqsCalls = 0.4;
const itemGb = ours.itemBytes / 1_000;
const byHand = {
  lambda: 100_000 * batchSeconds * prices.lambdaGbSecond + 0.1 * prices.lambdaMillionRequests,
  dynamoDb: writeUnits * prices.dynamoDbMillionWrites,
  sqs: sqsCalls * prices.sqsMillionRequests,
  logs: logGb * prices.logsGb,
  keptLogs: logGb * months * prices.logsGbMonth,
  storage: itemGb * months * (prices.dynamoDbGbMonth + prices.dynamoDbBackupGbMonth),
};

it('the model says of each service what plain arithmetic does', () => {
  for (const [service, amount] of Object.entries(byHand))
    expect([service, cents(amount)]).toEqual([service, cents(mine[service as keyof typeof mine])]);
});

it('an idle month stays below twenty dollars', () => {
  expect(idleParts.idle).toBeLessThan(20);
});

it('and the README says what the tables do', () => {
  const { idle, network } = idleParts;
  const [least, most] = knownRange;
  expect(words(pageOf('README.md').text)).toContain(
    `idle, ${cents(idle)} dollars a month (${cents(network)} more with its own network). A million payouts: ${Math.round(sendingOf(mine))} dollars to send and ${Math.round(totalOf(mine) - sendingOf(mine))} to store for 400 days; with inquiries ${Math.round(least)} to ${Math.round(most)} in all`,
  );
});

it('and no table has a number that was not measured', () => {
  for (const { file, text } of documents) expect([file, text.match(/.*NaN.*/g) ?? []]).toEqual([file, []]);
});
