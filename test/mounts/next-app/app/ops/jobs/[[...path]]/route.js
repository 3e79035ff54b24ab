// An application makes its server here, or imports it; in the test it was made by the process around.
const answer = (request) => globalThis.mountedServer.fetch(request);

export { answer as DELETE, answer as GET, answer as PATCH, answer as POST, answer as PUT };
