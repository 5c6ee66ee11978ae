// The two steps of a payout at the simulated gateway: a check moves nothing and rests, its payment goes on under its order.
import { expect, it } from 'vitest';
import { askStatus, formFields, post } from './support/client.ts';
import { aClock, aGateway } from './support/story.ts';

type Gateway = Awaited<ReturnType<typeof aGateway>>;
const money = { amount: '10.42', currency: 'EUR', account_number: 'DE1', bank_name: 'B' };

async function checked(options: Parameters<typeof aGateway>[0] = {}, client_orderid = 'INV-1') {
  const clock = aClock();
  const gateway = await aGateway({ nowMs: clock.nowMs, timestampWindowSeconds: null, ...options });
  const reply = formFields(await post(gateway, 'v4/payout-check/39915', { client_orderid, ...money }));
  return { clock, gateway, orderid: reply['paynet-order-id'] ?? '' };
}

const pay = async (gateway: Gateway, orderid: string) =>
  formFields(
    await post(gateway, 'v4/payout-pay/39915', { client_orderid: 'INV-1', orderid, login: 'test-merchant-eu' }),
  );
const stageOf = async (gateway: Gateway, orderId = 'INV-1') => {
  const { status, 'order-stage': stage } = formFields(await askStatus(gateway, orderId));
  return `${status} ${stage}`;
};

it('a check is validating, then validated, and stays so: nothing is paid', async () => {
  const { clock, gateway } = await checked();
  expect(await stageOf(gateway)).toBe('processing payout_check_validating');
  clock.pass(1_000);
  expect(await stageOf(gateway)).toBe('processing payout_check_validated');
  clock.pass(86_400_000);
  expect(await stageOf(gateway)).toBe('processing payout_check_validated');
  expect(gateway.payments()).toEqual([]);
});

it('a check may be declined', async () => {
  const { clock, gateway } = await checked({}, 'INV-1.decline');
  clock.pass(2_000);
  expect(await stageOf(gateway, 'INV-1.decline')).toBe('declined AUTH_DECLINED');
});

it('its payment goes on under its id, with its money', async () => {
  const { clock, gateway, orderid } = await checked();
  clock.pass(1_000);
  expect(await pay(gateway, orderid)).toMatchObject({ type: 'async-response', 'paynet-order-id': orderid });
  clock.pass(2_000);
  expect(await stageOf(gateway)).toBe('approved AUTH_APPROVED');
  expect(gateway.payments()).toMatchObject([{ clientOrderId: 'INV-1', acceptedCount: 1, acceptedAmount: '10.42' }]);
});

it('too early, of an unknown order, or a second time it is refused', async () => {
  const { clock, gateway, orderid } = await checked();
  expect(await pay(gateway, orderid)).toMatchObject({ type: 'error', 'error-code': '1007' });
  expect(await pay(gateway, '1')).toMatchObject({ type: 'error', 'error-code': '101' });
  clock.pass(1_000);
  await pay(gateway, orderid);
  expect(await pay(gateway, orderid)).toMatchObject({ type: 'error', 'error-code': '503' });
  expect(gateway.payments()).toMatchObject([{ acceptedCount: 1 }]);
});

it('the worst that may be feared is a switch: a second payment is paid again', async () => {
  const { clock, gateway, orderid } = await checked({ repeatedPayoutPay: 'paid again' });
  clock.pass(1_000);
  await pay(gateway, orderid);
  await pay(gateway, orderid);
  expect(gateway.payments()).toMatchObject([{ acceptedCount: 2, acceptedAmount: '20.84' }]);
});
