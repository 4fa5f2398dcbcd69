"""Which addresses are public, however they are written."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer_tool.web.public_addresses import kind_of


@pytest.mark.parametrize(
    'address', ['93.184.215.14', '8.8.8.8', '2606:4700::1111', '64:ff9b::8.8.8.8', '::ffff:8.8.8.8']
)
def test_public_addresses(address: str) -> None:
    assert kind_of(address) == ''


@given(st.ip_addresses())
def test_what_python_calls_private_is_never_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> None:
    if not address.is_global or address.is_multicast or address.is_reserved:
        is_v6 = isinstance(address, ipaddress.IPv6Address)
        wrapped = is_v6 and (address.ipv4_mapped or address.sixtofour or address in NAT64)
        assert kind_of(str(address)) or wrapped


NAT64 = ipaddress.IPv6Network('64:ff9b::/96')


@given(st.ip_addresses(v=4), st.sampled_from(['::ffff:0:0', '64:ff9b::']))
def test_an_address_is_what_it_stands_for(address: ipaddress.IPv4Address, prefix: str) -> None:
    stands_for = ipaddress.IPv6Address(int(ipaddress.IPv6Address(prefix)) + int(address))
    assert kind_of(str(stands_for)) == kind_of(str(address))
