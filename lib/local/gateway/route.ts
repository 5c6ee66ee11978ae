// Which operation a path asks for. {base path}/api/{version}/{operation}/{endpoint id}, or /group/{group id} at the end.
import type { InquiryOperation, StartOperation } from './scenario.ts';

interface RouteBase {
  /** `39915`, or `group/7`. */
  readonly endpointId: string;
}

/** A path on which an order starts. */
export interface StartRoute extends RouteBase {
  readonly kind: 'start';
  readonly operation: StartOperation;
  /** Only of `pan-eligibility`: which of the two cards is checked. */
  readonly checks?: 'send' | 'receive' | 'both';
}

/** A path on which an order's status is asked. */
export interface InquiryRoute extends RouteBase {
  readonly kind: 'inquiry';
  readonly operation: InquiryOperation;
}

/** A path that the gateway serves. */
export type Route = StartRoute | InquiryRoute;

const eligibility = { kind: 'start', operation: 'pan-eligibility' } as const;

// The path of the eligibility status call is published nowhere; this one is an assumption.
const served: Readonly<Record<string, Omit<StartRoute, 'endpointId'> | Omit<InquiryRoute, 'endpointId'>>> = {
  'v4/transfer': { kind: 'start', operation: 'transfer' },
  'v4/transfer-by-ref': { kind: 'start', operation: 'transfer-by-ref' },
  'v4/payout': { kind: 'start', operation: 'payout' },
  'v4/status': { kind: 'inquiry', operation: 'status' },
  'v2/pan-eligibility/send': { ...eligibility, checks: 'send' },
  'v2/pan-eligibility/receive': { ...eligibility, checks: 'receive' },
  'v2/pan-eligibility/both': { ...eligibility, checks: 'both' },
  'v2/pan-eligibility/status': { kind: 'inquiry', operation: 'pan-eligibility-status' },
};

/** Of the gateway whose interface this is; some brands have another. */
export const basePath = '/paynet';

const operationAndEndpoint = /^(?<operation>.+?)\/(?<endpointId>(?:group\/)?[^/]+)$/;

/** Reads a request target; `undefined` = nothing is served there. */
export function routeOf(target: string): Route | undefined {
  const path = target.split('?')[0] ?? '';
  const start = `${basePath}/api/`;
  if (!path.startsWith(start)) return undefined;
  const { operation = '', endpointId = '' } = operationAndEndpoint.exec(path.slice(start.length))?.groups ?? {};
  const row = Object.hasOwn(served, operation) ? served[operation] : undefined;
  return row === undefined ? undefined : { ...row, endpointId };
}
