import { lockstep } from "../../../lib/lockstep";

const answer = (request: Request) => lockstep().server.fetch(request);

export { answer as DELETE, answer as GET, answer as PATCH, answer as POST, answer as PUT };
