// A function as Lambda runs it: its bundle in a process of its own, with its own credentials; called by messages.
const { handler } = (await import(process.argv[2] ?? '')) as {
  handler: (event: unknown, context: object) => Promise<unknown>;
};
/** As the function's setting says. */
const timeoutMs = Number(process.env['FUNCTION_TIMEOUT_MS'] ?? 30_000);

process.on('message', async ({ id, event }: { id: number; event: unknown }) => {
  const endsAtMs = Date.now() + timeoutMs;
  const context = { awsRequestId: `request-${id}`, getRemainingTimeInMillis: () => endsAtMs - Date.now() };
  try {
    process.send?.({ id, answer: await handler(event, context) });
  } catch (error) {
    process.send?.({ id, error: String(error) });
  }
});
