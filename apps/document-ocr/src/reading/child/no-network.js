// Loaded before anything else, in every thread of the reading process. Where the system can take the network away
// (confined-command.ts), this only says it more clearly; elsewhere it is what keeps a parser from calling out.
import { Socket as DatagramSocket } from "node:dgram";
import { Server, Socket } from "node:net";

const refusal = () => new Error("The reading process has no network.");

/** @this {Socket} */
Socket.prototype.connect = function connect() {
  this.destroy(refusal());
  return this;
};
Server.prototype.listen = () => {
  throw refusal();
};
for (const name of /** @type {const} */ (["bind", "connect", "send"])) {
  DatagramSocket.prototype[name] = () => {
    throw refusal();
  };
}
