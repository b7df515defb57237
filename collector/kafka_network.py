"""kafka-python's network layer, with two faults of version 3.0 mended."""

from typing import Any

from kafka.errors import KafkaConnectionError
from kafka.net.compat import KafkaNetClient
from kafka.net.inet import create_connection
from kafka.net.manager import KafkaConnectionManager
from kafka.net.selector import NetworkSelector
from kafka.net.transport import KafkaSSLTransport, KafkaTCPTransport


def network(**settings: Any) -> KafkaNetClient:
    """Return the network of a client with these settings; kafka-python's clients take it as ``kafka_client``."""
    selector = NetworkSelector(**settings)
    return KafkaNetClient(selector, _Connections(selector, **settings))


class _HearsOut:
    """A transport that hands on what arrives together with the end of the stream.

    The library throws it away. A broker that refuses a password says so and hangs up in one go, so the refusal would
    look like a fault of the network.
    """

    def _sock_recv(self) -> tuple[bytes, Exception | None]:
        data, end = super()._sock_recv()  # type: ignore[misc]
        return data, None if data else end  # the next read meets the end again


class _TcpTransport(_HearsOut, KafkaTCPTransport):
    pass


class _TlsTransport(_HearsOut, KafkaSSLTransport):
    pass


class _Connections(KafkaConnectionManager):
    async def _build_transport(self, node: Any, timeout_at: float | None = None) -> KafkaTCPTransport:
        """Connect to a broker; the library's own leaves the socket open where the handshake fails."""
        sock = await create_connection(
            self._net,
            node.host,
            node.port,
            self.config["socket_options"],
            proxy_url=self.config["proxy_url"],
            timeout_at=timeout_at,
        )
        transport: _TlsTransport | _TcpTransport
        if self.ssl_enabled:
            tls = {key: value for key, value in self.config.items() if key.startswith("ssl_")}
            transport = _TlsTransport(self._net, sock, host=node.host, **tls)
        else:
            transport = _TcpTransport(self._net, sock, host=node.host)
        try:
            await transport.handshake()  # type: ignore[no-untyped-call]
        except Exception as error:
            transport._sock.close()  # noqa: SLF001 - close() would wait for a loop that reads from it
            raise KafkaConnectionError(f"Handshake failed: {error}") from error
        return transport
