// A request to the Lambda function URL as a callback: GET with a query, or POST with a form body. Nothing of it is
// logged: the query bears the order and what is signed about it.
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { IncomingCallback } from '../payout/inquiry-ports.ts';

/** The part of the event that is looked at. */
export type FunctionUrlEvent = Pick<APIGatewayProxyEventV2, 'rawPath' | 'rawQueryString' | 'body' | 'isBase64Encoded'>;

/** Longest query or body that is read, in characters; the gateway's are well under 1 KB. */
const textLimit = 8_192;

/** Merchant from the last segment of the path; parameters from the query and a form body, the body's where both are. */
export function incomingCallback({
  rawPath,
  rawQueryString,
  body,
  isBase64Encoded,
}: FunctionUrlEvent): IncomingCallback {
  const form = isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString('utf8') : (body ?? '');
  const parameters = [rawQueryString, form].flatMap((text) =>
    text.length > textLimit ? [] : [...new URLSearchParams(text)],
  );
  return { merchant: rawPath.slice(rawPath.lastIndexOf('/') + 1), parameters: new Map(parameters) };
}
