// A console as a program enters it: what the page is given.
/** Opens the console once, as its person does; answers with the way to ask it. */
export async function entered(address: string) {
  const opened = await fetch(address, { redirect: 'manual' });
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
  const at = (path: string, query: Record<string, string>) =>
    new URL(`${path}?${new URLSearchParams(query).toString()}`, address);
  return {
    at,
    cookie,
    ask: (path: string, query: Record<string, string>, headers: Record<string, string> = { cookie }) =>
      fetch(at(path, query), { headers }),
  };
}
