export interface Conf {
  readonly port: number;
  readonly greeting: string;
}

export const readConf = (env: Readonly<Record<string, string | undefined>>): Conf => ({
  port: Number(env.PORT ?? 8080),
  greeting: env.GREETING ?? "hello",
});
