import { ValidationError } from "../errors/planledger-error.ts";
import { addressRefusal } from "../outbound/address-rule.ts";
import { type AllowedHosts, hostAndPortOf } from "../outbound/allowed-hosts.ts";

const maxCharacters = 2_048;

/**
 * The URL of a webhook as it will be called: https, without credentials or a fragment; plain http only to hosts that the
 * operator allows by name. An address that can never be called is refused here already; where a name leads is judged at each
 * delivery. Throws a `ValidationError`.
 */
export const webhookUrl = (text: string, allowedHosts: AllowedHosts): string => {
  const url = text.length > maxCharacters ? null : URL.parse(text);
  if (url === null) throw refusal(`must be an absolute URL of up to ${maxCharacters} characters`);
  if (url.username !== "" || url.password !== "" || url.hash !== "") {
    throw refusal(
      "must hold neither credentials nor a fragment; deliveries prove themselves by their signature",
    );
  }
  const target = hostAndPortOf(url);
  const isAllowed = allowedHosts.allows(target);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isAllowed)) {
    throw refusal("must be https; plain http is for hosts that the operator of the service allows by name");
  }
  const address = target.host.replace(/^\[(.*)\]$/, "$1");
  const unreachable = /^[\d.]+$|:/.test(address) && !isAllowed ? addressRefusal(address) : undefined;
  if (unreachable !== undefined) throw refusal(`leads to ${address}, which ${unreachable}`);
  return url.href;
};

const refusal = (rule: string): ValidationError =>
  new ValidationError({ field: "/url", message: `/url ${rule}.` });
