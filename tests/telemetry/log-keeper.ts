import type { Logger } from "../../src/index.js";

/** A line that was logged. */
export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

/** A logger that keeps its lines. */
export class LogKeeper implements Logger {
  readonly lines: LogLine[] = [];
  #onLine: () => void = () => undefined;

  debug(message: string, fields: Record<string, unknown>): void {
    this.#keep("debug", message, fields);
  }
  info(message: string, fields: Record<string, unknown>): void {
    this.#keep("info", message, fields);
  }
  warn(message: string, fields: Record<string, unknown>): void {
    this.#keep("warn", message, fields);
  }
  error(message: string, fields: Record<string, unknown>): void {
    this.#keep("error", message, fields);
  }

  at(level: string): LogLine[] {
    return this.lines.filter((line) => line.level === level);
  }

  /** Waits until a line says that. */
  async until(message: string): Promise<LogLine> {
    for (;;) {
      const line = this.lines.find((kept) => kept.message === message);
      if (line !== undefined) return line;
      await new Promise<void>((resolve) => (this.#onLine = resolve));
    }
  }

  #keep(level: string, message: string, fields: Record<string, unknown>): void {
    this.lines.push({ level, message, fields });
    this.#onLine();
  }
}
