// STS for the embedded environment: GetCallerIdentity over its query protocol, for callers that their access keys distinguish, so
// that two persons can release a batch on one machine. Signatures are not checked, as nothing here is.
import { randomUUID } from 'node:crypto';
import { startAwsEndpoint } from './aws-endpoint.ts';
import type { OwnEndpoint } from './own-hosts.ts';

const account = '000000000000';

const identityOf = (user: string) => `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <GetCallerIdentityResult>
    <Arn>arn:aws:iam::${account}:user/${user}</Arn><UserId>AIDA${user.toUpperCase()}</UserId><Account>${account}</Account>
  </GetCallerIdentityResult>
  <ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata>
</GetCallerIdentityResponse>`;

const refusal = `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <Error><Type>Sender</Type><Code>InvalidClientTokenId</Code><Message>This access key is unknown.</Message></Error>
</ErrorResponse>`;

/** Starts it on a free loopback port; `users` names the holder of each access key. */
export const startStsEndpoint = (users: ReadonlyMap<string, string>): Promise<OwnEndpoint> =>
  startAwsEndpoint(({ caller }) => {
    const user = users.get(caller);
    return user === undefined ? { status: 403, body: refusal } : { status: 200, body: identityOf(user) };
  }, 'text/xml');
