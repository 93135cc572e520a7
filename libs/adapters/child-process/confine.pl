# Confines itself by the Linux kernel, for good, and becomes the given program:
#
#   perl confine.pl [--read PATH]... [--write FILE]... -- PROGRAM ARGUMENT...
#   perl confine.pl --check      prints what the kernel offers: "landlock 7 seccomp 1", with 0 for what is missing
#
# Perl, because it makes system calls without a compiler, which Node can not, and is on every Debian and Ubuntu.
#
# Landlock: the program reads the libraries of the system and the paths of --read, writes the files of --write, which
# must exist, and runs no file but itself. Seccomp: it reaches no network, starts no process, signals and traces none,
# leaves neither its group nor its limits, and changes no rights of files, which Landlock does not look at. Where the
# kernel lacks one of the two, the other holds alone; who starts this says so at the start of Crier.
use strict;
use warnings;
no warnings qw(portable exec);

my $NO_NEW_PRIVS = 38;
my $SET_SECCOMP = 22;
my ($EPERM, $EINVAL, $ENOSYS) = (1, 22, 38);

# Numbers of system calls; '-' where the architecture has no such call.
my %ARCHITECTURE = (
    x86_64  => { column => 0, audit => 0xc000003e, prctl => 157 },
    aarch64 => { column => 1, audit => 0xc00000b7, prctl => 167 },
);
# Calls that are refused, whatever they ask for: the number on x86_64, and on aarch64.
my %REFUSED = (
    # The network, and other processes by shared memory or queues.
    socket => '41 198', socketpair => '53 199', connect => '42 203', bind => '49 200', shmget => '29 194',
    shmat => '30 196', semget => '64 190', msgget => '68 186', mq_open => '240 180', memfd_create => '319 279',
    io_uring_setup => '425 425', io_uring_enter => '426 426', io_uring_register => '427 427',
    # Other processes.
    fork => '57 -', vfork => '58 -', kill => '62 129', tkill => '200 130', rt_sigqueueinfo => '129 138',
    rt_tgsigqueueinfo => '297 240', pidfd_open => '434 434', pidfd_getfd => '438 438',
    pidfd_send_signal => '424 424', ptrace => '101 117', process_vm_readv => '310 270',
    process_vm_writev => '311 271', process_madvise => '440 440', kcmp => '312 272', migrate_pages => '256 238',
    move_pages => '279 239', setsid => '112 157', setpgid => '109 154', setpriority => '141 140',
    sched_setscheduler => '144 119', sched_setparam => '142 118', sched_setattr => '314 274',
    sched_setaffinity => '203 122', ioprio_set => '251 30',
    # Rights and times of files; truncate, because Landlock knows it only since Linux 6.2.
    chmod => '90 -', fchmod => '91 52', fchmodat => '268 53', chown => '92 -', fchown => '93 55', lchown => '94 -',
    fchownat => '260 54', utime => '132 -', utimes => '235 -', futimesat => '261 -', utimensat => '280 88',
    setxattr => '188 5', lsetxattr => '189 6', fsetxattr => '190 7', removexattr => '197 14',
    lremovexattr => '198 15', fremovexattr => '199 16', truncate => '76 45', mknod => '133 -', mknodat => '259 33',
    open_by_handle_at => '304 265', fanotify_init => '300 262',
    # The machine, for a Crier that root started.
    mount => '165 40', umount2 => '166 39', pivot_root => '155 41', chroot => '161 51', unshare => '272 97',
    setns => '308 268', open_tree => '428 428', move_mount => '429 429', fsopen => '430 430', fsconfig => '431 431',
    fsmount => '432 432', fspick => '433 433', mount_setattr => '442 442', bpf => '321 280',
    perf_event_open => '298 241', userfaultfd => '323 282', keyctl => '250 219', add_key => '248 217',
    request_key => '249 218', init_module => '175 105', finit_module => '313 273', delete_module => '176 106',
    kexec_load => '246 104', kexec_file_load => '320 294', reboot => '169 142', swapon => '167 224',
    swapoff => '168 225', acct => '163 89', settimeofday => '164 170', clock_settime => '227 112',
    adjtimex => '159 171', clock_adjtime => '305 266', sethostname => '170 161', setdomainname => '171 162',
    iopl => '172 -', ioperm => '173 -', quotactl => '179 60', quotactl_fd => '443 443', syslog => '103 116',
    personality => '135 92', vhangup => '153 58',
);
# Calls that are said to be missing, upon which the C library takes an older one.
my %MISSING = (clone3 => '435 435', openat2 => '437 437');
# Calls that are refused for what they ask for, or allowed for what they ask for.
my %CLONE = (clone => '56 220');
my %TGKILL = (tgkill => '234 131');
my %PRLIMIT = (prlimit64 => '302 261');
my %MMAP = (mmap => '9 222');
my %OPEN = (open => '2 -');
my %OPENAT = (openat => '257 56');
# Calls that the kernel got after those above: what they would allow is not known here.
my $FIRST_UNKNOWN = 451;

my $machine = do { my $name = syscallMachine(); $ARCHITECTURE{$name} };

exit check() if @ARGV == 1 && $ARGV[0] eq '--check';
my ($reads, $writes) = paths();
my $path = found($ARGV[0]);
confine($path, $reads, $writes) if $machine;
exec { $path } @ARGV;
fail("$path: $!");

# Nothing runs less confined than the kernel would have it.
sub fail {
    print STDERR "confine.pl: $_[0]\n";
    exit 125;
}

sub syscallMachine {
    open(my $own, '<:raw', '/proc/self/exe') or return '';
    read($own, my $head, 20) or return '';
    my $elf = unpack('x18 v', $head);
    return $elf == 62 ? 'x86_64' : $elf == 183 ? 'aarch64' : '';
}

sub check {
    my $seccomp = $machine && syscall($machine->{prctl}, 21, 0, 0, 0, 0) >= 0 ? 1 : 0;
    print 'landlock ' . landlockVersion() . " seccomp $seccomp\n";
    return 0;
}

sub paths {
    my (@reads, @writes);
    while (@ARGV) {
        my $word = shift @ARGV;
        last if $word eq '--';
        fail("what is $word?") unless @ARGV && $word =~ /^--(read|write)$/;
        push @{ $1 eq 'read' ? \@reads : \@writes }, shift @ARGV;
    }
    return (\@reads, \@writes);
}

# The program's path, looked for as a shell does; ends as a shell does where there is none.
sub found {
    my ($name) = @_;
    my @paths = $name =~ m{/} ? ($name) : map { "$_/$name" } split /:/, $ENV{PATH} // '';
    for my $path (@paths) { return $path if -f $path && -x _ }
    print STDERR "$name: not found\n";
    exit 127;
}

sub confine {
    my ($path, $mayRead, $mayWrite) = @_;
    syscall($machine->{prctl}, $NO_NEW_PRIVS, 1, 0, 0, 0) == 0 or fail("no_new_privs: $!");
    landlock($path, $mayRead, $mayWrite);
    seccomp();
}

sub landlockVersion {
    return 0 unless $machine;
    my $version = syscall(444, 0, 0, 1);
    return $version < 0 ? 0 : $version;
}

# Rights of Landlock, by bit.
my ($EXECUTE, $WRITE, $READ, $LIST, $TRUNCATE);

sub landlock {
    my ($path, $mayRead, $mayWrite) = @_;
    my $version = landlockVersion() or return;
    ($EXECUTE, $WRITE, $READ, $LIST) = map { 1 << $_ } 0 .. 3;
    $TRUNCATE = $version >= 3 ? 1 << 14 : 0;
    my $files = (1 << ($version >= 5 ? 16 : $version >= 3 ? 15 : $version >= 2 ? 14 : 13)) - 1;
    my $tcp = $version >= 4 ? 3 : 0;
    my $scopes = $version >= 6 ? 3 : 0;
    my $rules = pack('Q Q Q', $files, $tcp, $scopes);
    my $bytes = $version >= 6 ? 24 : $version >= 4 ? 16 : 8;
    my $set = syscall(444, $rules, $bytes, 0);
    fail("landlock_create_ruleset: $!") if $set < 0;
    # Programs of several files look for the libraries that they bring along beside their folder.
    my ($folder) = $path =~ m{^(/.*)/bin/[^/]+$};
    my @system = qw(/lib /lib32 /lib64 /usr/lib /usr/lib32 /usr/lib64 /usr/libexec /usr/local/lib /nix/store
        /etc/ld.so.cache /etc/ssl/openssl.cnf /dev/zero /dev/urandom /dev/random);
    allow($set, $_, $READ | $LIST) for @system, defined $folder ? ("$folder/lib") : (), @$mayRead;
    allow($set, '/dev/null', $READ | $WRITE);
    allow($set, $_, $EXECUTE | $READ) for $path, glob('/lib*/ld-linux*.so.* /lib/ld-musl-*.so.*');
    for my $file (@$mayWrite) {
        fail("$file is not there to be written") unless -e $file;
        allow($set, $file, $READ | $WRITE | $TRUNCATE);
    }
    syscall(446, $set, 0) == 0 or fail("landlock_restrict_self: $!");
}

# A path that is not there allows nothing.
sub allow {
    my ($set, $path, $rights) = @_;
    my $O_PATH_CLOEXEC = 0x280000;
    sysopen(my $place, $path, $O_PATH_CLOEXEC) or return;
    my $asked = -d $place ? $rights & ~$EXECUTE & ~$WRITE : $rights & ~$LIST;
    my $rule = pack('Q l', $asked, fileno $place);
    syscall(445, $set, 1, $rule, 0) == 0 or fail("landlock_add_rule $path: $!");
}

# Instructions of a filter: load a word of the call's description, compare, return.
sub load { return pack('S C C L', 0x20, 0, 0, $_[0]) }
sub unless_equal { return pack('S C C L', 0x15, 0, $_[1], $_[0]) }
sub unless_below { return pack('S C C L', 0x35, 0, $_[1], $_[0]) }
sub mask { return pack('S C C L', 0x54, 0, 0, $_[0]) }
sub answer { return pack('S C C L', 0x06, 0, 0, $_[0]) }
sub fails { return answer(0x00050000 | $_[0]) }
sub allowed { return answer(0x7fff0000) }
sub killed { return answer(0x80000000) }

# The lower half of the given argument of a call.
sub argument { return load(16 + 8 * $_[0]) }

sub numbers {
    my %calls = @_;
    return grep { $_ ne '-' } map { (split / /)[ $machine->{column} ] } values %calls;
}

# For one call: what follows is the answer to it, and nothing of it is run for any other.
sub forCall {
    my ($call, $answer) = @_;
    return join '', map { unless_equal($_, length($answer) / 8) . $answer } numbers(%$call);
}

sub seccomp {
    my $own = $$;
    # Calls by the numbers of another architecture end the program.
    my $filter = load(4) . pack('S C C L', 0x15, 1, 0, $machine->{audit}) . killed() . load(0);
    $filter .= unless_equal($_, 1) . fails($EPERM) for numbers(%REFUSED);
    $filter .= unless_equal($_, 1) . fails($ENOSYS) for numbers(%MISSING);
    $filter .= unless_below($FIRST_UNKNOWN, 1) . fails($ENOSYS);
    # Threads, and no processes.
    $filter .= forCall(\%CLONE, argument(0) . mask(0x10000) . unless_equal(0, 1) . fails($EPERM) . allowed());
    # Itself: a program that aborts.
    $filter .= forCall(\%TGKILL, argument(0) . unless_equal($own, 1) . allowed() . fails($EPERM));
    # Limits of its own, which it can lower.
    $filter .= forCall(\%PRLIMIT, argument(0) . unless_equal(0, 1) . allowed() . fails($EPERM));
    # Memory that the limit of a process's data does not count: shared, and of no file.
    $filter .= forCall(\%MMAP, argument(3) . mask(0x21) . unless_equal(0x21, 1) . fails($EPERM) . allowed());
    # A file that is opened to be read is not emptied: Landlock knows that only since Linux 6.2.
    my $emptied = mask(01003) . unless_equal(01000, 1) . fails($EPERM) . allowed();
    $filter .= forCall(\%OPEN, argument(1) . $emptied) . forCall(\%OPENAT, argument(2) . $emptied);
    $filter .= allowed();
    my $program = pack('S x![J] P', length($filter) / 8, $filter);
    my $set = syscall($machine->{prctl}, $SET_SECCOMP, 2, $program, 0, 0);
    # A kernel without filters knows no such mode.
    fail("seccomp: $!") unless $set == 0 || $! == $EINVAL;
}
