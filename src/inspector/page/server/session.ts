import { useSyncExternalStore } from "preact/compat";
import type { SignedOutError } from "./errors.js";

let ended: SignedOutError | undefined;
const followers = new Set<() => void>();

/** Takes note of what an answer says about the session of the person. */
export function noteSession(error: SignedOutError | undefined): void {
  if ((error === undefined) === (ended === undefined)) return;
  ended = error;
  for (const follow of followers) follow();
}

/** Calls a function when the person has been signed out, and when the person is signed in again. */
export function followSession(follow: () => void): () => void {
  followers.add(follow);
  return () => followers.delete(follow);
}

/** Why the person is signed out; `undefined` while that is not known to be so. */
export function sessionEnd(): SignedOutError | undefined {
  return ended;
}

/** Like {@link sessionEnd}, for a component that shows it. */
export function useSessionEnd(): SignedOutError | undefined {
  return useSyncExternalStore(followSession, sessionEnd);
}
