import { useState } from "preact/hooks";
import { checkSession } from "../server/call-server.js";
import { SignedOutError } from "../server/errors.js";

/** Leads a person who is signed out to where the application asks for that, and goes on afterwards. */
export function SignIn() {
  const [problem, setProblem] = useState("");
  const goOn = (): void => {
    setProblem("");
    checkSession().catch((error: unknown) => {
      const message = error instanceof Error ? error.message : "";
      setProblem(error instanceof SignedOutError ? "You are still signed out." : message);
    });
  };
  return (
    <p class="sign-in">
      {/* Without the fragment, which a page for signing in could read. */}
      <a class="button" href="./" target="_blank" rel="noreferrer noopener">
        Sign in<span class="sr-only"> in another tab</span>
      </a>
      <button type="button" onClick={goOn}>
        Go on
      </button>
      <span role="status">{problem}</span>
    </p>
  );
}
