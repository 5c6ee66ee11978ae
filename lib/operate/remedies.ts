// The remedy of every failure code: one complete sentence or two that need no other page.
import { reasonToFill, shellWord, tool } from '../payout/operate/spelling.ts';
import type { FailureOf } from '../gateway/gateway-outcome.ts';
import type { failureCodes } from '../payout/message/failures.ts';

type Code = keyof typeof failureCodes;

const askGateway = `Look the order up at your gateway; nothing is sent again until the outcome is known. Then run one of the two commands that \`${tool} order ORDER\` prints: they say what was shown`;
/** The command that makes a merchant's contract and its keys. */
export const makingSecrets = (prefix: string, merchant: string): string =>
  `for it in contract keys; do aws secretsmanager create-secret --name ${prefix}$it/${merchant} --secret-string file://$it.json; done`;

const mendSecret = "Correct the merchant's secret";

/** By code; `HTTP_4xx` means `HTTP_400` to `HTTP_499`. */
const remedies: Readonly<Record<Code, string>> = {
  INVALID_MESSAGE: 'Correct these lines as the message says, and send them again; they were not jobs.',
  PLAIN_CARD_DATA: `Seal the card data (\`${tool} submit FILE --card-keys KEYS\`, infra/docs/card-and-personal-data.md) and send it again.`,
  SEALED_PARAMS_INVALID: "Seal the card data anew, for this order and under the worker's present keys.",
  ORDER_ID_REUSED: 'Give the new order an id of its own: an id means one payment for ever.',
  NOT_APPROVED: `Register the file with \`${tool} submit FILE --hold\`; it prints what a second person approves it with.`,
  EXPIRED:
    'If it is still to be paid, send the job again with a later "expiresAt", and with the endId of its result, where that has one, as "resends".',
  WAITED_TOO_LONG: `Correct what it waited for, then \`${tool} dlq redrive --code WAITED_TOO_LONG\`.`,
  MERCHANT_UNKNOWN: `In a local run, make an entry "MERCHANT" in the file of --secrets; in AWS: \`${makingSecrets('PREFIX', 'MERCHANT')}\`. Its fields: infra/docs/settings.md.`,
  SECRET_INVALID: `${mendSecret}: it lacks what the job needs, or is malformed (infra/docs/settings.md).`,
  CREDENTIALS_UNAVAILABLE: 'Secrets Manager did not answer: look at its address, region and your rights.',
  ACCOUNT_UNKNOWN:
    'An approver registers the login, and the jobs go on by themselves. A login belongs to one merchant alone.',
  SIGNER_UNAVAILABLE: 'AWS KMS did not sign: look at the key id in the secret, its region and your rights.',
  FIELD_NOT_IN_CONTRACT: `Leave the field out, or name it in "extraFields" of the profile in the merchant's secret.`,
  HELD_CARD_DATA: 'Send the job again with new card data: its CVV served one attempt.',
  NOT_SENT: 'No connection to your gateway was made; look at its address, and that it runs.',
  RATE_LIMITED: 'Your gateway asks to go slower; the jobs go on by themselves.',
  AUTHENTICATION: `${mendSecret}: the gateway takes neither this login nor this key for it. Look at "login", "controlKey" or "privateKey", and "signatureMethod" of the profile.`,
  ACCOUNT_NOT_READY: 'Ask your gateway what the account lacks (set-up, contract, funds); the jobs wait for it.',
  GATEWAY_REFUSED: `The gateway says why. Correct what it names and send the payment under a new id; unchanged rows of a batch go again by \`${tool} retry BATCH\`.`,
  HTTP_4xx: `The gateway refused without saying why: hold one request against its documents (\`${tool} sign\`), the field names first.`,
  NO_ANSWER: `Your gateway took the request and gave no whole answer. ${askGateway}.`,
  UNCLEAR_ANSWER: `Your gateway's answer does not say whether it took the order. ${askGateway}.`,
  FILTERED: "The gateway's fraud control stopped it; ask the gateway why before you send it under a new id.",
  STATUS_UNPROVEN: `Asked about the order, your gateway reports a status that proves nothing. ${askGateway}.`,
  GATEWAY_DECLINED: `The gateway took the order and declined it. Correct what it names and send the payment under a new id; unchanged rows of a batch go again by \`${tool} retry BATCH\`.`,
  HELD_UNPROVEN: `It is not known whether your gateway took the order. ${askGateway}.`,
  HELD_INCONCLUSIVE: `Your gateway reports a status that proves nothing. ${askGateway}.`,
  HELD_NO_END: `Your gateway took the order and has not said how it ended. ${askGateway}.`,
  HELD_NOT_AT_GATEWAY: `Your gateway says that it knows no such order. ${askGateway}.`,
  HELD_UNKNOWN_TRANSACTION: `Your gateway has a transaction of this order id that was not sent from here. ${askGateway}.`,
  HELD_UNCLEAR_DECLINE: `Your gateway declined a transaction of this order id and named none. ${askGateway}.`,
  HELD_AMOUNT_DIFFERS: `Your gateway has the order with another amount or currency. ${askGateway}.`,
  NOT_AT_GATEWAY:
    'The gateway never had it: send it again under the same id, with the endId of its result as "resends".',
  END_UNKNOWN: "Look at the order's last result: its endId is the name that opens it again.",
  CALLED_OFF: 'Its batch was called off; send the order again, outside it.',
  HELD_SEVERAL: 'Ask the gateway about each id that the message names: one of them must not be paid, or be paid back.',
  HELD_TOO_MANY: `Cancel it (\`${tool} cancel ORDER --reason "${reasonToFill}"\`), and send it under a new order id.`,
  LEDGER_RESTORED: `The ledger was restored and may have lost the order. ${askGateway}.`,
  DISCARDED: 'A person threw it away before it was sent; the message says who and why.',
  RELEASED_NOT_PAID: 'A person found out that it was not paid; the message says who and why.',
  WORKER_LOST: `The worker that sent it never reported. ${askGateway}.`,
};

/** Why no connection came about, by the system's error code. */
const connectionRemedies: readonly [pattern: RegExp, remedy: string][] = [
  [/the proxy answered 407/, 'Your proxy refuses its name and password: correct "proxy" in the secret.'],
  [
    /the proxy|a proxy/,
    'Your own proxy is in the way, not the gateway: look at "proxy" in the secret, and at the proxy.',
  ],
  [
    /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/,
    "This machine does not know who signed the gateway's certificate: put that certificate into a file and set NODE_EXTRA_CA_CERTS=FILE for the command.",
  ],
  [/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/, "The gateway's certificate has run out, or this machine's clock is wrong."],
  [/ALTNAME_INVALID/, "The gateway's certificate is for another name than the one in its address; use that name."],
  [
    /WRONG_VERSION_NUMBER|EPROTO|PACKET_LENGTH/,
    'What answers there speaks no TLS: write http:// instead of https://, or another port.',
  ],
  [/ECONNREFUSED/, "No program listens at the gateway's address: start the gateway, or correct host and port."],
  [/ENOTFOUND|EAI_AGAIN/, "The name of the gateway's host is not known here: correct it, or look at the network."],
  [/within \d+ ms|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/, 'The gateway cannot be reached: look at address and firewall.'],
];

/** The names that a remedy's commands are about; without them they say so. */
interface RemedyPlace {
  /** The prefix of the names of merchants' secrets. */
  readonly secretPrefix: string;
  /** `<merchant>/<order id>`. */
  readonly order: string;
}

/** The remedy for a failure. */
export function remedyFor(failure: Pick<FailureOf<string>, 'code' | 'message'>, place?: RemedyPlace): string {
  const text = textFor(failure);
  if (!place) return text;
  const { secretPrefix, order } = place;
  const [merchant = ''] = order.split('/', 1);
  return text
    .replaceAll('PREFIX', () => secretPrefix)
    .replaceAll('MERCHANT', () => merchant)
    .replaceAll('ORDER', () => shellWord(order));
}

function textFor({ code, message }: Pick<FailureOf<string>, 'code' | 'message'>): string {
  if (code === 'NOT_SENT') {
    const [, connection] = connectionRemedies.find(([pattern]) => pattern.test(message)) ?? [];
    if (connection !== undefined) return connection;
  }
  const known = Object.entries(remedies).find(([name]) => name === code.replace(/^HTTP_4\d\d$/, 'HTTP_4xx'));
  // Bytes have left, so it stays in doubt; but as a rule it is the wrong port.
  if (code === 'NO_ANSWER' && /HPE_INVALID/.test(message))
    return `What answers there speaks no HTTP: write https:// instead of http://, or another port. ${askGateway}.`;
  if (code === 'HTTP_404' || code === 'HTTP_405')
    return 'The address is not one of the gateway: look at its base URL and at the endpoint id of the jobs.';
  return known?.[1] ?? 'Look at the log beside the results for what the worker says of these orders.';
}
