// The trace that a message or an invocation belongs to, as AWS X-Ray names it, so that a line of the log can be found
// from a trace and a trace from a line without any tracing library.

/** The root of a trace header ("Root=1-5759e988-bd862e3fe1be46a994272793;Parent=…;Sampled=1"); undefined without one. */
export function traceIdOf(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /(?:^|;)\s*Root=(1-[0-9a-f]{8}-[0-9a-f]{24})(?:;|$)/.exec(header)?.[1];
}
