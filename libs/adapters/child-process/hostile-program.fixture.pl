# Does what a file might make a decoder do that it took over, and prints what came of it, a line each: "name: yes" or
# why not.
#
#   perl hostile-program.fixture.pl SECRET GIVEN WRITTEN PORT PID
use strict;
use warnings;
no warnings 'exec';
use Socket;

my ($secret, $given, $written, $port, $pid) = @ARGV;

sub attempt {
    my ($name, $deed) = @_;
    local $! = 0;
    print "$name: ", ($deed->() ? 'yes' : "no, $!"), "\n";
}

sub opened {
    my ($mode, $path) = @_;
    open(my $file, $mode, $path) or return 0;
    return $mode eq '<' ? defined readline $file : print {$file} 'made';
}
sub line_of {
    my ($family, $type) = @_;
    socket(my $line, $family, $type, 0) or return undef;
    return $line;
}

$| = 1;
my $server = sockaddr_in($port, INADDR_LOOPBACK);
attempt('reads what it is given', sub { opened('<', $given) });
attempt('writes its file', sub { opened('>', $written) });
attempt('reads the secret', sub { opened('<', $secret) });
attempt('lists the folder of the secret', sub { my ($folder) = $secret =~ m{(.*)/}; opendir(my $open, $folder) });
attempt('writes beside the secret', sub { opened('>>', "$secret.copy") });
attempt('removes a file', sub { unlink "$secret.copy" });
attempt('opens the secret to others', sub { chmod 0644, $secret });
attempt('makes a file', sub { opened('>', "$secret.new") });
attempt('reads our environment', sub { opened('<', "/proc/$pid/environ") });
attempt('reads our memory', sub { open(my $file, '<', "/proc/$pid/mem") });
attempt('signals us', sub { kill 'CONT', $pid });
attempt('reaches a server', sub { my $line = line_of(PF_INET, SOCK_STREAM); $line && connect($line, $server) });
attempt('sends a packet', sub { my $line = line_of(PF_INET, SOCK_DGRAM); $line && send($line, 'secret', 0, $server) });
attempt('reaches the machine', sub { line_of(PF_UNIX, SOCK_STREAM) });
attempt('leaves its group', sub { setpgrp(0, 0) });
# A page of memory that is shared, which a limit of data does not count: mmap, to be read and written.
attempt('takes memory beside its limit', sub { syscall(-e '/lib/ld-linux-aarch64.so.1' ? 222 : 9, 0, 4096, 3, 0x21, -1, 0) > 0 });
attempt('starts a process', sub {
    my $child = fork();
    exit 0 if defined $child && $child == 0;
    defined $child;
});
attempt('starts a shell', sub { (qx{echo started} // '') eq "started\n" });
attempt('becomes a shell', sub { exec '/bin/sh', '-c', 'echo "becomes a shell: yes"' });
