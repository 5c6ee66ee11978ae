// An order id belongs to a login at the gateway, and a login to one merchant: nothing is paid from one that no approver has registered.
import { expect, it } from 'vitest';
import { someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { createMemorySafeguards } from '../support/memory-safeguards.ts';
import { anApprovalKey } from '../support/approvals.ts';
import { days, hours, minutes, storyWorld } from './harness.ts';

const login = 'gateway.test/acme-login';
const free = { twoPersonRelease: false, caps: {} };

it('of two merchants at one login the second waits as ACCOUNT_UNKNOWN, and no order of the first is touched', async () => {
  const safeguards = createMemorySafeguards();
  await safeguards.write('acme-eu', { ...free, logins: [login] });
  const world = storyWorld({ safeguards: safeguards.store, others: { twin: someCredentials() } });
  const first = world.send(aPayoutJob());
  await world.pass(1 * minutes);
  expect(await safeguards.write('twin', { ...free, logins: [login] })).toBeUndefined();
  const second = world.send(aPayoutJob({ merchant: 'twin', params: { amount: '1.00' } }));
  await world.pass(23 * hours);
  expect([world.gateway.posts('INV-1'), world.told(second), world.whereIs(second)]).toEqual([1, [], 'queue']);
  await world.pass(2 * hours);
  const code = 'ACCOUNT_UNKNOWN';
  expect(world.told(second)).toMatchObject([{ merchant: 'twin', status: 'rejected', failure: { code } }]);
  expect([world.gateway.posts('INV-1'), world.deadLetters()]).toMatchObject([1, [{ code }]]);
  expect([world.whereIs(first), world.results('INV-1')]).toMatchObject(['gone', [{ merchant: 'acme-eu' }]]);
});

it('a login that changes in the secret pays nothing until an approver has registered it', async () => {
  const safeguards = createMemorySafeguards();
  await safeguards.write('acme-eu', { ...free, logins: [login] });
  const world = storyWorld({ safeguards: safeguards.store });
  await world.secretIs(someCredentials({ login: 'another-login', version: 'v2' }));
  world.send(aPayoutJob());
  await world.pass(20 * hours);
  expect([world.gateway.posts('INV-1'), world.results('INV-1')]).toEqual([0, []]);
  await safeguards.write('acme-eu', { ...free, logins: [login, 'gateway.test/another-login'] });
  await world.pass(10 * minutes);
  expect([world.gateway.posts('INV-1'), world.last('INV-1')?.status]).toEqual([1, 'accepted']);
});

it('a registration that no approver made counts for nothing', async () => {
  const safeguards = createMemorySafeguards();
  await safeguards.write('acme-eu', { ...free, logins: [login] }, anApprovalKey('another key'));
  const world = storyWorld({ safeguards: safeguards.store });
  const message = world.send(aPayoutJob());
  await world.pass(20 * hours);
  expect([world.gateway.posts('INV-1'), world.told(message)]).toEqual([0, []]);
});

it('a job that was once known waits for days for its login, and is paid once it is registered anew', async () => {
  const safeguards = createMemorySafeguards();
  await safeguards.write('acme-eu', { ...free, logins: [login] });
  const world = storyWorld({ safeguards: safeguards.store });
  await world.person.pauses();
  const message = world.send(aPayoutJob());
  await world.pass(2 * days);
  await world.secretIs(someCredentials({ login: 'another-login', version: 'v2' }));
  await world.person.resumes();
  await world.pass(1 * days);
  expect([world.gateway.posts('INV-1'), world.told(message), world.deadLetters()]).toEqual([0, [], []]);
  await safeguards.write('acme-eu', { ...free, logins: ['gateway.test/another-login'] });
  await world.pass(20 * minutes);
  expect([world.gateway.posts('INV-1'), world.last('INV-1')?.status]).toEqual([1, 'accepted']);
});
