/** Where the running service is, and as whom to speak to it. */
export interface ServiceAddress {
  readonly url: string;
  readonly token: string;
}
