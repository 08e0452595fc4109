package lock

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// nodeName is the name of a node, in the first label of a host name.
var nodeName = regexp.MustCompile(`^n([1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|250)$`)

// nodeNetwork has the addresses that [Resolver] gives to nodes. They belong to this machine, and
// nobody listens there: whoever dials them beside the simulated world is refused at once.
var nodeNetwork = netip.MustParsePrefix("127.77.0.0/24")

// Resolver resolves the names of nodes, n1 and so on, without leaving the program; there is no other
// name. [Environment.Dial] takes the addresses.
func Resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return &nameServer{}, nil
	}}
}

// nodeOf is the node that an address of [Resolver] stands for; otherwise the host itself.
func nodeOf(host string) string {
	if address, err := netip.ParseAddr(host); err == nil && nodeNetwork.Contains(address) {
		return fmt.Sprintf("n%d", address.As4()[3])
	}
	return host
}

// nameServer is a connection to a DNS server that answers by itself: each message has its length
// in front of it, as on TCP.
type nameServer struct {
	net.Conn       // nil: a resolver needs no more than the methods below
	asked, answers bytes.Buffer
}

func (*nameServer) Close() error                     { return nil }
func (*nameServer) SetDeadline(time.Time) error      { return nil }
func (*nameServer) SetReadDeadline(time.Time) error  { return nil }
func (*nameServer) SetWriteDeadline(time.Time) error { return nil }

func (s *nameServer) Read(b []byte) (int, error) { return s.answers.Read(b) }

func (s *nameServer) Write(b []byte) (int, error) {
	s.asked.Write(b)
	for s.asked.Len() >= 2 {
		size := int(binary.BigEndian.Uint16(s.asked.Bytes()))
		if s.asked.Len() < 2+size {
			break
		}
		query := s.asked.Next(2 + size)[2:]
		answer := answerTo(query)
		s.answers.Write(binary.BigEndian.AppendUint16(nil, uint16(len(answer))))
		s.answers.Write(answer)
	}
	return len(b), nil
}

// The parts of DNS messages (RFC 1035, section 4.1) that answers need.
const (
	dnsHeader   = 12
	dnsAnswer   = 0x8580 // an authoritative answer; recursion is there
	dnsNoName   = 3
	dnsTypeA    = 1
	dnsInternet = 1
	dnsQuestion = 0xC000 | dnsHeader // refers to the name in the question
)

// answerTo answers a query with one question. An A record is all there is of a name.
func answerTo(query []byte) []byte {
	end := dnsHeader
	for end < len(query) && query[end] != 0 {
		end += 1 + int(query[end])
	}
	if end+5 > len(query) {
		return make([]byte, dnsHeader) // the resolver gives up
	}
	label, kind := query[dnsHeader+1:dnsHeader+1+int(query[dnsHeader])], binary.BigEndian.Uint16(query[end+1:])
	found := nodeName.FindStringSubmatch(strings.ToLower(string(label)))
	flags, records := uint16(dnsAnswer), uint16(0)
	switch {
	case found == nil:
		flags |= dnsNoName
	case kind == dnsTypeA:
		records = 1
	}
	answer := append([]byte{}, query[:2]...)
	for _, n := range []uint16{flags, 1, records, 0, 0} {
		answer = binary.BigEndian.AppendUint16(answer, n)
	}
	answer = append(answer, query[dnsHeader:end+5]...)
	if records == 0 {
		return answer
	}
	node, _ := strconv.Atoi(found[1]) // the pattern has digits only
	for _, n := range []uint16{dnsQuestion, dnsTypeA, dnsInternet, 0, 60, 4} {
		answer = binary.BigEndian.AppendUint16(answer, n)
	}
	address := nodeNetwork.Addr().As4()
	return append(answer, address[0], address[1], address[2], byte(node))
}
