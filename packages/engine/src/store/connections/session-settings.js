// Plain JavaScript: the heartbeat's thread uses it too.

/**
 * What a session of ours needs, whatever its role, its database or its server has set for others. It goes with the first message
 * of the connection, which a transaction pooler would refuse.
 * @param {{ statementTimeoutMs: number, isPooled: boolean }} options
 * @returns {Record<string, string>}
 */
export function sessionSettings({ statementTimeoutMs, isPooled }) {
  if (isPooled) return {};
  return {
    statement_timeout: String(statementTimeoutMs),
    idle_in_transaction_session_timeout: "30000",
    // The listener and the heartbeat are idle most of the time.
    idle_session_timeout: "0",
    // What a call finds after it has waited for a lock must be what is there then.
    default_transaction_isolation: "read committed",
    // The driver reads no other.
    DateStyle: "ISO, MDY",
  };
}
