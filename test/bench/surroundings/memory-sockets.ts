// The network left out: sockets of this process that answer by themselves, under whatever client writes to them. The clients
// of AWS and of the gateway are the shipped ones, down to Node's own HTTP on both sides; what is missing is the kernel's
// sockets and TLS. Each side pays for being answered: a head looked at, and of a message its body read.
import { Agent } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { Duplex } from 'node:stream';

/** What a service says to one request; undefined is 501. */
export type MemoryService = (operation: string, body: string) => string | undefined;

/** Replaces the sockets of this process until the returned function is called. Requests without an operation are the gateway's. */
export function withoutNetwork(aws: MemoryService, gateway: () => string): () => void {
  const own = { connect: net.connect, createConnection: Agent.prototype.createConnection };
  const connect = () => new MemorySocket(aws, gateway) as unknown as net.Socket;
  Object.assign(net, { connect });
  Agent.prototype.createConnection = connect;
  syncBuiltinESMExports();
  return () => {
    Object.assign(net, { connect: own.connect });
    Agent.prototype.createConnection = own.createConnection;
    syncBuiltinESMExports();
  };
}

class MemorySocket extends Duplex {
  connecting = true;
  readonly #aws: MemoryService;
  readonly #gateway: () => string;
  #heard = '';

  constructor(aws: MemoryService, gateway: () => string) {
    super();
    this.#aws = aws;
    this.#gateway = gateway;
    setImmediate(() => {
      this.connecting = false;
      this.emit('connect');
      this.emit('ready');
    });
  }

  override _read(): void {}

  override _write(chunk: Buffer | string, _: unknown, done: () => void): void {
    this.#heard += chunk.toString('latin1');
    const end = this.#heard.indexOf('\r\n\r\n') + 4;
    const length = Number(/content-length: (\d+)/i.exec(this.#heard)?.[1] ?? 0);
    if (end > 3 && this.#heard.length >= end + length) {
      const [head, body] = [this.#heard.slice(0, end), this.#heard.slice(end)];
      this.#heard = '';
      // In a turn of its own, as what comes from a network does.
      setImmediate(() => this.#answer(head, body));
    }
    done();
  }

  #answer(head: string, body: string): void {
    if (this.destroyed) return;
    const operation = /x-amz-target: [^.]*\.(\w+)/i.exec(head)?.[1];
    const text =
      operation === undefined ? this.#gateway() : this.#aws(operation, Buffer.from(body, 'latin1').toString());
    const isLast = /connection: close/i.test(head);
    const type = operation === undefined ? 'application/json' : 'application/x-amz-json-1.0';
    this.push(
      `HTTP/1.1 ${text === undefined ? 501 : 200} Said\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(text ?? '')}\r\n` +
        `connection: ${isLast ? 'close' : 'keep-alive'}\r\n\r\n${text ?? ''}`,
    );
    if (isLast) this.push(null);
  }

  destroySoon(): void {
    this.destroy();
  }

  // What Node's HTTP sets at a socket, and is of no account here.
  setTimeout = (): this => this;
  setNoDelay = (): this => this;
  setKeepAlive = (): this => this;
  ref = (): this => this;
  unref = (): this => this;
}
