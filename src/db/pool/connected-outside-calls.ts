import type pg from "pg";
import { outsideCalls } from "../../telemetry/running-calls.js";

/**
 * Returns the options of a pool whose functions run in the async context of no call. Any call may make the pool connect, also for another
 * one that waits for a connection.
 */
export function connectedOutsideCalls(config: pg.PoolConfig): pg.PoolConfig {
  const { password, onConnect, verify } = config;
  return {
    ...config,
    ...(typeof password === "function" && { password: () => outsideCalls(password) }),
    ...(onConnect !== undefined && {
      onConnect: (client: pg.ClientBase) => {
        outsideCalls(() => {
          onConnect(client);
        });
      },
    }),
    ...(verify !== undefined && {
      verify: (client: pg.PoolClient, done: (error?: Error) => void) => {
        outsideCalls(() => {
          verify(client, done);
        });
      },
    }),
  };
}
