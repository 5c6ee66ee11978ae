// The page on scaling states no number of its own: each is in a table that is made, or is worked out here by the model.
import { expect, it } from 'vitest';
import { idleParts, knownRange, openEntryBytes, payingBill, ours, sendingOf, totalOf } from '../bench/price-model.ts';
import { prices } from '../bench/prices.ts';
import { rowsPerPart } from '../../lib/batches/batch.ts';
import { documents } from './generated-tables.ts';
import { pageOf } from './pages.ts';

const words = (text: string) => text.replaceAll(/\s+/g, ' ');
const page = pageOf('infra/docs/scaling.md').text;
const cents = (amount: number) => amount.toFixed(2);
const mine = payingBill(ours, 200);

/** As somebody would work it out with the list prices beside the page. */
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

const stated: readonly string[] = [
  'that has shown it, 200 ms to the gateway',
  'it answers 429, its lane slows down',
  'above 1 where ours',
  'list prices of us-east-1,',
  'ten jobs a batch at once or one alone, log and ended orders kept for 400 days (a model',
  'for this worker at 200 ms and in tens:',
  'at 200 ms and in tens, its records kept as long:',
  `**Index.** ${Math.round(openEntryBytes.doubtful + 100)} bytes an order in doubt`,
  'in order of time, 1 MB a page',
  `at each sweep: ${openEntryBytes.doubtful} pages of 1 MB, ${(Math.round((openEntryBytes.doubtful * 1e6) / 8_192_000) * 1_000).toLocaleString('en-US')} read units,`,
  `A million rows are ${(1e6 / rowsPerPart).toLocaleString('en-US')} parts`,
];

it.each(stated)('says "%s"', (sentence) => {
  expect(words(page)).toContain(sentence);
});

it('has no other number in its text', () => {
  const [prose] = [page.split('\n').filter((line) => !line.startsWith('|'))];
  const left = stated.reduce((text, sentence) => text.replace(sentence, ''), words(prose.join('\n')));
  expect(left.replaceAll(/`[^`]*`|\]\([^)]*\)/g, '').match(/.{0,30}\d[\d,.]*.{0,20}/g) ?? []).toEqual([]);
});

it('and the model says of each service what plain arithmetic does', () => {
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
    `a stack that pays nothing ${cents(idle)} dollars a month, and ${cents(network)} for a network of its own; a million payouts ${Math.round(sendingOf(mine))} dollars to send, ${Math.round(totalOf(mine) - sendingOf(mine))} to keep for 400 days, and ${Math.round(least)} to ${Math.round(most)} in all to follow to their ends`,
  );
});

it('and no table has a figure that nobody has measured', () => {
  for (const { file, text } of documents) expect([file, text.match(/.*NaN.*/g) ?? []]).toEqual([file, []]);
});
