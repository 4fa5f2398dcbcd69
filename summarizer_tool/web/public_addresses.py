"""Which addresses are public: everything else is the network around us, and not to be fetched from."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

CLOUD_METADATA = 'cloud metadata'
"""The kind of an address that is never fetched from, whatever is allowed."""

_METADATA_SERVICES = frozenset(
    map(
        ip_address,
        (
            '169.254.169.254',  # AWS, Azure, Google, Oracle and most others
            '169.254.170.2',  # AWS ECS
            '169.254.170.23',  # AWS EKS
            '169.254.0.23',  # Tencent
            '169.254.42.42',  # Scaleway
            '168.63.129.16',  # Azure, on a public address
            '100.100.100.200',  # Alibaba
            '192.0.0.192',  # Oracle Classic
            'fd00:ec2::254',  # AWS
            'fd00:ec2::23',  # AWS EKS
            'fd20:ce::254',  # Google
            'fd00:42::42',  # Scaleway
        ),
    )
)
# From the IANA special-purpose address registries. Of IPv6 only 2000::/3 is given out at all.
_KINDS = {
    'unspecified': ('0.0.0.0/8', '::/128'),
    'loopback': ('127.0.0.0/8', '::1/128'),
    'link-local': ('169.254.0.0/16', 'fe80::/10'),
    'private': ('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10'),
    'carrier-internal': ('100.64.0.0/10',),
    'multicast': ('224.0.0.0/4', 'ff00::/8'),
    'reserved': (
        *('192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'),
        # With the protocol assignments in 2001::/23 goes Teredo, a tunnel to an IPv4 address.
        *('240.0.0.0/4', '2001::/23', '2001:db8::/32', '3fff::/20'),
    ),
}
_NETWORKS = [(kind, ip_network(network)) for kind, networks in _KINDS.items() for network in networks]
_GIVEN_OUT = IPv6Network('2000::/3')
# Networks whose addresses stand for an IPv4 address, and the byte it begins at: IPv4-mapped, NAT64, 6to4.
_WRAPPERS = ((IPv6Network('::ffff:0:0/96'), 12), (IPv6Network('64:ff9b::/96'), 12), (IPv6Network('2002::/16'), 2))
_ISATAP = (b'\x00\x00\x5e\xfe', b'\x02\x00\x5e\xfe')
# Where an operator's own NAT64 prefix puts it (RFC 6052), the byte at 8 left out.
_NAT64 = ((4, 5, 6, 7), (5, 6, 7, 9), (6, 7, 9, 10), (7, 9, 10, 11), (9, 10, 11, 12), (12, 13, 14, 15))


def kind_of(address: str) -> str:
    """What is wrong with an IP address as a place to fetch from, such as `loopback`; empty for a public one."""
    ip = ip_address(address)
    return _kind_of_v4(ip) if isinstance(ip, IPv4Address) else _kind_of_v6(IPv6Address(ip.packed))


def _kind_of_v4(ip: IPv4Address) -> str:
    if ip in _METADATA_SERVICES:
        return CLOUD_METADATA
    return next((kind for kind, network in _NETWORKS if ip in network), '')


def _kind_of_v6(ip: IPv6Address) -> str:
    packed = ip.packed
    # In any place where a translator may find one.
    embedded = {IPv4Address(bytes(packed[place] for place in places)) for places in (*_NAT64, (2, 3, 4, 5))}
    if ip in _METADATA_SERVICES or not embedded.isdisjoint(_METADATA_SERVICES):
        return CLOUD_METADATA
    for network, start in _WRAPPERS:
        if ip in network:
            return _kind_of_v4(IPv4Address(packed[start : start + 4]))
    if packed[8:12] in _ISATAP and (kind := _kind_of_v4(IPv4Address(packed[12:]))):
        return kind
    return next((kind for kind, network in _NETWORKS if ip in network), '' if ip in _GIVEN_OUT else 'reserved')
