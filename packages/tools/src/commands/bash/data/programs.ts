/** Data: programs that change something, by how bad that is. For what is listed nowhere see judge-command.ts. */
import type { Effect } from '../verdict.ts'

/** `[effect, why, names]` */
const GROUPS: readonly (readonly [Effect, string, string])[] = [
  ['dangerous', 'deletes files, which cannot be undone', 'rm unlink shred srm wipe wipefs del erase rd trash-empty bleachbit rmtree'],
  ['dangerous', 'empties or cuts files', 'truncate'],
  [
    'dangerous',
    'writes to whole disks',
    'mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.ntfs mke2fs mkswap fdisk sfdisk cfdisk gdisk sgdisk parted partprobe hdparm blkdiscard badblocks format diskpart diskutil cryptsetup lvremove vgremove pvremove lvcreate mdadm dmsetup resize2fs tune2fs e2fsck fsck cipher',
  ],
  [
    'dangerous',
    'ends other processes, maybe the one that runs this',
    'kill killall killall5 pkill skill snice xkill taskkill tskill fuser',
  ],
  ['dangerous', 'stops or restarts the machine', 'shutdown reboot halt poweroff init telinit kexec'],
  [
    'dangerous',
    'changes users or what they may do',
    'useradd usermod userdel adduser deluser groupadd groupmod groupdel addgroup delgroup passwd chpasswd gpasswd chsh chfn vipw visudo newusers icacls cacls takeown net setfacl chattr setcap',
  ],
  [
    'dangerous',
    'changes the network or its protection',
    'iptables ip6tables iptables-restore nft ufw firewall-cmd ebtables arptables tc brctl netsh ifup ifdown ipset wg wg-quick',
  ],
  [
    'dangerous',
    'changes the kernel or the system itself',
    'modprobe insmod rmmod sysctl depmod update-grub grub-install update-initramfs setenforce csrutil nvram bcdedit reg regedit swapon swapoff losetup umount pivot_root kextload kextunload spctl pmset hwclock timedatectl hostnamectl localectl setx',
  ],
  ['dangerous', 'runs something later', 'at batch crontab anacron launchctl systemd-run schtasks incrontab'],
  ['dangerous', 'opens a way in for others', 'nc ncat netcat socat telnet rsh rlogin rexec msfconsole msfvenom ngrok'],
  [
    'dangerous',
    'runs code that is not read here',
    'powershell pwsh cmd wscript cscript mshta rundll32 osascript expect nsenter unshare dc gdb lldb debugfs',
  ],
  ['dangerous', 'changes how this shell works', 'enable bind complete compopt compgen'],
  [
    'write',
    'makes, copies or moves files',
    'cp mv ln install mkdir rmdir touch mktemp mkfifo mknod tee rename mmv csplit split pax cpio patch dos2unix unix2dos',
  ],
  ['write', 'changes rights or owners of files', 'chmod chown chgrp'],
  [
    'write',
    'packs or unpacks files',
    'tar gtar bsdtar zip unzip gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lzma lz4 compress uncompress pigz pbzip2 7z 7za 7zr rar unrar ar',
  ],
  ['write', 'copies files between machines', 'scp sftp rsync rclone ftp lftp aria2c'],
  ['write', 'opens a session on another machine', 'ssh mosh autossh sshpass ssh-copy-id'],
  ['write', 'opens an editor, which can write and run anything', 'vi vim nvim view ex ed emacs nano pico joe micro code subl gedit'],
  [
    'write',
    'runs code of a project or of packages',
    'make gmake cmake ninja npm npx pnpm yarn bun bunx deno pip pip3 pipx poetry uv uvx conda cargo go mvn gradle ant sbt bundle gem rake composer dotnet swift stack cabal mix lein tsc jest vitest pytest tox nox',
  ],
  [
    'write',
    'installs or removes software',
    'apt apt-get aptitude dpkg yum dnf rpm zypper pacman apk brew port snap flatpak emerge pkg pkg_add nix-env choco winget scoop',
  ],
  ['write', 'runs containers or changes them', 'docker podman nerdctl docker-compose kubectl helm minikube kind'],
  [
    'write',
    'changes what runs in a cloud',
    'aws gcloud az terraform tofu pulumi ansible ansible-playbook vagrant heroku flyctl vercel netlify',
  ],
  [
    'write',
    'works on a database',
    'psql mysql mariadb sqlite3 mongo mongosh redis-cli mysqladmin pg_dump pg_restore mysqldump createdb dropdb',
  ],
  ['write', 'starts, stops or changes services', 'systemctl service rc-service chkconfig update-rc.d supervisorctl pm2'],
  ['write', 'opens a terminal that lives on', 'tmux screen byobu dtach'],
  ['write', 'sends something out', 'mail mailx sendmail mutt write wall curl wget'],
]

export const PROGRAMS: ReadonlyMap<string, readonly [Effect, string]> = new Map(
  GROUPS.flatMap(([effect, reason, names]) =>
    names.split(' ').map((name): [string, readonly [Effect, string]] => [name, [effect, reason]]),
  ),
)

/** Whose words are files that they write: a system path among them makes it dangerous. */
export const WRITES_ITS_WORDS: ReadonlySet<string> = new Set(
  'cp mv ln install mkdir rmdir touch tee rename patch chmod chown chgrp split dd rsync scp unzip tar 7z 7za sed cpio gzip bzip2 xz curl wget'.split(
    ' ',
  ),
)

/** Words of the grammar: where one stands as a program, the parser did not understand what a shell would. */
export const RESERVED: ReadonlySet<string> = new Set(
  'if then else elif fi for while until do done case esac in function select coproc { } [[ ]] !'.split(' '),
)
