import { connect, createServer, type Socket } from 'node:net';

/** One address before several servers of TLS, as a Service is. */
export interface Address {
  readonly port: number;
  /** Where new connections go, in turn; to the next one where one refuses. */
  servers: readonly number[];
  /** Connections that lead to that server now. */
  readonly leadingTo: (port: number) => number;
  /** Ends all connections, so that callers have to open new ones. */
  readonly cut: () => void;
  readonly close: () => void;
}

export async function openAddress(): Promise<Address> {
  const sockets = new Set<Socket>();
  const led = new Map<number, number>();
  const leadingTo = (port: number) => led.get(port) ?? 0;
  let turn = 0;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // What one side does is done to the other.
    socket.on('error', () => {});
  };
  const forward = (caller: Socket, [port, ...others]: readonly number[]): void => {
    if (port === undefined) {
      caller.destroy();
      return;
    }
    const server = connect({ host: '127.0.0.1', port });
    keep(server);
    const tryNext = () => forward(caller, others);
    server.once('error', tryNext);
    server.once('connect', () => {
      server.off('error', tryNext);
      led.set(port, leadingTo(port) + 1);
      server.once('close', () => {
        led.set(port, leadingTo(port) - 1);
        caller.destroy();
      });
      caller.once('close', () => server.destroy());
      caller.pipe(server).pipe(caller);
    });
  };
  const listener = createServer((caller) => {
    keep(caller);
    const { servers } = address;
    const first = turn++ % Math.max(1, servers.length);
    forward(caller, [...servers.slice(first), ...servers.slice(0, first)]);
  });
  await new Promise<void>((resolve) => listener.listen(0, 'localhost', resolve));
  const bound = listener.address();
  const address: Address = {
    port: typeof bound === 'object' && bound !== null ? bound.port : 0,
    servers: [],
    leadingTo,
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: () => {
      listener.close();
      address.cut();
    },
  };
  return address;
}
