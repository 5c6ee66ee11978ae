// The key of approvals in AWS KMS: an HMAC key that never leaves it (KMS developer guide, "HMAC keys in AWS KMS"). Approvers may make MACs
// under it, the worker may check them, and no role may do both.
import { GenerateMacCommand, type KMSClient, VerifyMacCommand } from '@aws-sdk/client-kms';
import { type ApprovalCheck, type ApprovalMaker, macTextBytesAtMost } from './approval.ts';

/** The key; the client is made at the first question, as most stages approve nothing. */
interface KmsApprovalsOptions {
  readonly newClient: () => KMSClient;
  readonly keyId: string;
}

const MacAlgorithm = 'HMAC_SHA_256';

/** For approvers: makes MACs. */
export function createKmsApprovalMaker({ newClient, keyId: KeyId }: KmsApprovalsOptions): ApprovalMaker {
  return {
    async macOf(text) {
      const { Mac } = await newClient().send(
        new GenerateMacCommand({ KeyId, MacAlgorithm, Message: Buffer.from(text) }),
      );
      if (!Mac) throw new Error('KMS gave no MAC');
      return Buffer.from(Mac).toString('base64url');
    },
  };
}

/** For the worker: checks them. */
export function createKmsApprovalCheck({ newClient, keyId: KeyId }: KmsApprovalsOptions): ApprovalCheck {
  return {
    async isMacOf(text, mac) {
      // KMS calls a malformed MAC, or a text that is too long, a mistake in the call and not a wrong MAC. Without this check an invalid
      // text that was written into the table by hand would be asked about for ever.
      if (!/^[A-Za-z0-9_-]{43}$/.test(mac) || Buffer.byteLength(text) > macTextBytesAtMost) return false;
      const Mac = Buffer.from(mac, 'base64url');
      try {
        const answer = await newClient().send(
          new VerifyMacCommand({ KeyId, MacAlgorithm, Message: Buffer.from(text), Mac }),
        );
        return answer.MacValid === true;
      } catch (error) {
        if (error instanceof Error && error.name === 'KMSInvalidMacException') return false;
        throw error;
      }
    },
  };
}
