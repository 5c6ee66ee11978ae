// KMS for the embedded environment, as far as approvals ask: one HMAC key that never leaves this process. Everybody may
// check MACs under it, only approvers may make them, as the stack's key policy says too (infra/key.yml).
import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ApprovalMaker } from '../batches/approval.ts';
import { listenOnLoopback, type OwnEndpoint } from './own-hosts.ts';

/** The key's alias, which is the default of the setting APPROVAL_KEY_ID. */
const alias = 'alias/payouts-approvals';

type Answer = { readonly status: number; readonly body: object };

const refuse = (type: string, message: string): Answer => ({ status: 400, body: { __type: type, message } });

/** The endpoint, and its key's MAC for whoever holds the process. */
interface KmsEndpoint extends OwnEndpoint, ApprovalMaker {}

/** Starts it on a free loopback port; `approvers` are access keys. */
export async function startKmsEndpoint(approvers: ReadonlySet<string>): Promise<KmsEndpoint> {
  const key = randomBytes(32);
  const macOf = async (text: string) => createHmac('sha256', key).update(text).digest('base64url');

  function answerTo(target: string, caller: string, body: string): Answer {
    const { KeyId, MacAlgorithm, Message, Mac = '' } = JSON.parse(body) as Record<string, string | undefined>;
    if (KeyId !== alias) return refuse('NotFoundException', `Alias ${KeyId} is not found.`);
    if (MacAlgorithm !== 'HMAC_SHA_256' || Message === undefined || Message === '')
      return refuse('ValidationException', 'MacAlgorithm or Message');
    const bytes = Buffer.from(Message, 'base64');
    if (bytes.length > 4096) return refuse('ValidationException', 'Message is longer than 4096 bytes');
    const right = createHmac('sha256', key).update(bytes).digest();
    switch (target) {
      case 'TrentService.GenerateMac':
        if (!approvers.has(caller))
          return refuse('AccessDeniedException', 'is not authorized to perform kms:GenerateMac');
        return { status: 200, body: { KeyId, MacAlgorithm, Mac: right.toString('base64') } };
      case 'TrentService.VerifyMac': {
        const given = Buffer.from(Mac, 'base64');
        const isRight = given.length === right.length && timingSafeEqual(given, right);
        return isRight
          ? { status: 200, body: { KeyId, MacAlgorithm, MacValid: true } }
          : refuse('KMSInvalidMacException', '');
      }
      default:
        return refuse('UnknownOperationException', `Not emulated: ${target}`);
    }
  }

  const server = createServer((request, response) => {
    const [, caller = ''] = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '') ?? [];
    void text(request)
      .then((body) => {
        const { status, body: answer } = answerTo(String(request.headers['x-amz-target']), caller, body);
        response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1', 'x-amzn-RequestId': randomUUID() });
        response.end(JSON.stringify(answer));
      })
      .catch(() => response.destroy());
  });
  return { ...(await listenOnLoopback(server)), macOf };
}
