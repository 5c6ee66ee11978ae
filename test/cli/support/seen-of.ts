// The words by which a decision says what was shown of the order.

/** Looks at the order by the command, as a person does; no words where nothing is to be decided. */
export async function seenOf(
  payouts: (...words: string[]) => Promise<{ readonly stdout: string }>,
  key: string,
): Promise<readonly string[]> {
  const { stdout } = await payouts('order', key, '--json');
  const { order } = JSON.parse(stdout) as { readonly order?: { readonly seen?: string } };
  return ['--seen', order?.seen ?? 'nothing-is-shown'];
}
