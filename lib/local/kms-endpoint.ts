// KMS for the embedded environment, as far as approvals and waiting jobs ask: an HMAC key and an AES key that never leave this
// process. Everybody may check MACs under the first, only approvers may make them, as the stack's key policy says too (infra/resources/keys.yml).
// Data keys are made and opened for every caller: the policy lets submit alone, and one process here is every function.
import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ApprovalMaker } from '../batches/approval.ts';
import { startAwsEndpoint } from './aws-endpoint.ts';
import type { OwnEndpoint } from './own-hosts.ts';

/** The keys' aliases, which are the defaults of the settings APPROVAL_KEY_ID and WAITING_KEY_ID. */
const approvalsAlias = 'alias/payouts-approvals';
const waitingAlias = 'alias/payouts-waiting';

type Answer = { readonly status: number; readonly body: object };

const refuse = (type: string, message: string): Answer => ({ status: 400, body: { __type: type, message } });

/** The fields of the emulated operations. */
type Asked = Readonly<
  Partial<Record<'KeyId' | 'MacAlgorithm' | 'Message' | 'Mac' | 'KeySpec' | 'CiphertextBlob', string>>
> & { readonly EncryptionContext?: Readonly<Record<string, string>> };

/** Data keys of 32 bytes under a key; one opens with the very context that it was made with, as in KMS. */
function dataKeysUnder(key: Buffer) {
  const contextOf = ({ EncryptionContext = {} }: Asked) =>
    Buffer.from(JSON.stringify(Object.entries(EncryptionContext).toSorted(([a], [b]) => (a < b ? -1 : 1))));
  return (target: 'TrentService.GenerateDataKey' | 'TrentService.Decrypt', asked: Asked): Answer => {
    const { KeyId = waitingAlias, KeySpec, CiphertextBlob = '' } = asked;
    if (KeyId !== waitingAlias) return refuse('NotFoundException', `Alias ${KeyId} is not found.`);
    if (target === 'TrentService.GenerateDataKey') {
      if (KeySpec !== 'AES_256') return refuse('ValidationException', 'KeySpec');
      const [plaintext, iv] = [randomBytes(32), randomBytes(12)];
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(contextOf(asked));
      const blob = Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
      const body = { KeyId, Plaintext: plaintext.toString('base64'), CiphertextBlob: blob.toString('base64') };
      return { status: 200, body };
    }
    const blob = Buffer.from(CiphertextBlob, 'base64');
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, blob.subarray(0, 12)).setAAD(contextOf(asked));
      decipher.setAuthTag(blob.subarray(-16));
      const plaintext = Buffer.concat([decipher.update(blob.subarray(12, -16)), decipher.final()]);
      const body = { KeyId, EncryptionAlgorithm: 'SYMMETRIC_DEFAULT', Plaintext: plaintext.toString('base64') };
      return { status: 200, body };
    } catch {
      return refuse('InvalidCiphertextException', '');
    }
  };
}

/** Starts it on a free loopback port, with its key's MAC for the holder of the process; `approvers` are access keys. */
export async function startKmsEndpoint(approvers: ReadonlySet<string>): Promise<OwnEndpoint & ApprovalMaker> {
  const key = randomBytes(32);
  const dataKeys = dataKeysUnder(randomBytes(32));
  const macOf = async (text: string) => createHmac('sha256', key).update(text).digest('base64url');

  function answerTo(target: string, caller: string, body: string): Answer {
    const asked = JSON.parse(body) as Asked;
    const { KeyId, MacAlgorithm, Message, Mac = '' } = asked;
    if (target === 'TrentService.GenerateDataKey' || target === 'TrentService.Decrypt') return dataKeys(target, asked);
    if (KeyId !== approvalsAlias) return refuse('NotFoundException', `Alias ${KeyId} is not found.`);
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

  const endpoint = await startAwsEndpoint(({ target, caller, body }) => {
    const { status, body: answer } = answerTo(target, caller, body);
    return { status, body: JSON.stringify(answer) };
  });
  return { ...endpoint, macOf };
}
