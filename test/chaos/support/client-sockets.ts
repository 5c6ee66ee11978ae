// Every socket that this process opens, by the port it goes to: the worker's side of the story, told by Node itself.
import { Socket } from 'node:net';

const opened = new Map<number, Socket[]>();
// A class's own method, wrapped once per test process; both net and TLS sockets connect through it.
// oxlint-disable-next-line typescript/unbound-method
const { connect } = Socket.prototype;

Socket.prototype.connect = function connectAndRemember(this: Socket, ...args: unknown[]) {
  const [first] = args.flat() as { port?: number }[];
  const port = Number(first?.port ?? 0);
  opened.set(port, [...(opened.get(port) ?? []), this]);
  return Reflect.apply(connect, this, args) as Socket;
} as typeof connect;

/** The sockets opened to this port so far, forgotten by this call. */
export function socketsOpenedTo(port: number): readonly Socket[] {
  const sockets = opened.get(port) ?? [];
  opened.delete(port);
  return sockets;
}
